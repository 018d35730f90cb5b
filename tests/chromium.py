# SPDX-License-Identifier: MIT
"""Starts Chromium without a window, driven by selenium, for the tests of pages and for
bench/page."""
import shutil
import socket


class Missing(Exception):
    """A package is not installed. The text is the name of Debian's package."""


def start(*arguments, **capabilities):
    """Returns a driver. The caller must end it with quit()."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        raise Missing("python3-selenium") from None
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        raise Missing("chromium chromium-driver")

    class Local(Service):
        """Connects to 127.0.0.1, because a newly installed machine may not know the name
        localhost."""

        def is_connectable(self):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                return False
            return True

        @property
        def service_url(self):
            return f"http://127.0.0.1:{self.port}"

    options = webdriver.ChromeOptions()
    # With a pipe, chromedriver does not look for Chromium at localhost.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--remote-debugging-pipe",
                     *arguments):
        options.add_argument(argument)
    options.binary_location = shutil.which("chromium")
    for name, value in capabilities.items():
        options.set_capability(name.replace("_", ":"), value)
    return webdriver.Chrome(service=Local(shutil.which("chromedriver")), options=options)
