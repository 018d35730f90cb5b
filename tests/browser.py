# SPDX-License-Identifier: MIT
"""Gives Chromium as a fixture, with `yield from browser.session()`. Without Chromium a test is
skipped, or fails."""
from harness import remedy, skip
import chromium


def session(*arguments):
    """Returns a driver that records the console messages and network requests of pages."""
    try:
        driver = chromium.start(*arguments,
                                goog_loggingPrefs={"browser": "ALL", "performance": "ALL"})
    except chromium.Missing as packages:
        skip(remedy(str(packages)))
    yield driver
    driver.quit()
