# SPDX-License-Identifier: MIT
"""scripts/need requests the right packages from apt, and shows its progress. Stand-ins replace the
commands of apt and dpkg."""
import os
import re

import pytest

from harness import SOURCE, contains, equal, run

pytestmark = pytest.mark.quick

SCRIPT = os.path.join(SOURCE, "scripts", "need")
APT = """#!/bin/sh
echo "$@" >>"$ASKED"
case $1 in update) exit ;; esac
echo "Reading package lists..."
echo "dlstatus:1:12.5000:Retrieving file 1 of 5"
echo "dlstatus:1:13.9000:Retrieving file 2 of 5"
echo "pmstatus:scdoc:2.0000:Unpacking scdoc (amd64)"
echo "pmstatus:scdoc:50.0000:Installing scdoc (amd64)"
{end}
"""


def need(tmp_path, *purposes, end="true"):
    """Runs scripts/need with no package installed. Returns the requests to apt-get, one per
    line."""
    for name, text in (("apt-get", APT.format(end=end)), ("dpkg-query", "#!/bin/sh\nexit 1\n"),
                       ("id", "#!/bin/sh\necho 0\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    asked = tmp_path / "asked"
    out = run(SCRIPT, *purposes, env=dict(os.environ, ASKED=str(asked),
                                          PATH=f"{tmp_path}:{os.environ['PATH']}"))
    return out, asked.read_text().splitlines() if asked.exists() else []


def test_progress_is_shown(tmp_path):
    """scripts/need prints a line for every two percent."""
    out, asked = need(tmp_path, "docs")
    equal((out.code, out.err), (0, ""))
    equal(out.out, "installing: scdoc\n 12 %  Retrieving file 1 of 5\n"
          "  2 %  Unpacking scdoc (amd64)\n 50 %  Installing scdoc (amd64)\n")
    equal(len(asked), 1)


def test_a_failure_shows_what_apt_said(tmp_path):
    out, asked = need(tmp_path, "docs", end="echo 'E: no scdoc' >&2; exit 100")
    equal(out.code, 1)
    contains(out.err, "E: no scdoc")
    equal([line.split()[0] for line in asked], ["install", "update", "install"])


def test_quick_needs_no_emulator(tmp_path):
    _, asked = need(tmp_path, "build", "quick")
    assert "libcmocka-dev" in asked[0]
    assert not re.search(r"qemu|linux-gnu|none-eabi|g\+\+|chromium", asked[0]), asked[0]
