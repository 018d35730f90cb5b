# SPDX-License-Identifier: MIT
"""Chromium as a fixture: `yield from browser.session()`; a test without it is skipped, or fails."""
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
