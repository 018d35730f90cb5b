# SPDX-License-Identifier: MIT
"""The firmware library runs as machine code of an ARMv7 core, with the AArch32 view of a PMUv3."""
import pytest

from uc import driver


@pytest.mark.parametrize("name", driver.names("a32"))
def test_a32(name):
    driver.check("a32", name)
