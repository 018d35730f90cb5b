# SPDX-License-Identifier: MIT
"""The firmware library runs as machine code of an ARM1176, with the model of its PMU."""
import pytest

from uc import driver


@pytest.mark.parametrize("name", driver.names("arm"))
def test_arm(name):
    driver.check("arm", name)
