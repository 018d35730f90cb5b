# SPDX-License-Identifier: MIT
"""The firmware library as machine code of an ARM1176, using the models of its PMU."""
import pytest

from uc import driver


@pytest.mark.parametrize("name", driver.names("arm"))
def test_arm(name):
    driver.check("arm", name)
