# SPDX-License-Identifier: MIT
"""The firmware library runs as machine code of a Cortex-A53, with the model of its PMUv3."""
import pytest

from uc import driver


@pytest.mark.parametrize("name", driver.names("a64"))
def test_a64(name):
    driver.check("a64", name)
