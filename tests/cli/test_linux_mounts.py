# SPDX-License-Identifier: MIT
"""pmk stat -T linux works where /sys is not mounted, and reports it if /proc is not mounted either,
as in some containers and chroots. In a private mount namespace, an empty folder hides each of
them."""
import os

from harness import PMK, contains, have, run, skip


def without(*folders, argv):
    have("unshare", "mount")
    if run("unshare", "--mount", "true").code:
        skip("this user or container may not make mount namespaces: unshare --mount")
    hide = "".join(f"mount -t tmpfs none {f} && " for f in folders)
    return run("unshare", "--mount", "sh", "-c", f'{hide}exec "$@"', "sh", PMK, "stat", "-T",
               "linux", *argv)


def test_processors_are_known_without_sys():
    out = without("/sys", argv=("-C", "4000", "true"))
    assert out.code == 129, out
    contains(out.err, "-C 4000: processor 4000 is not online")
    out = without("/sys", argv=("-a", "-A", "-x,", "-e", "cpu-clock", "true"))
    if out.code == 125 and "nothing can be counted" in out.err:
        skip(out.err.strip())
    assert out.code == 0, out
    assert len(out.err.splitlines()) == os.sysconf("SC_NPROCESSORS_ONLN"), out


def test_without_both_it_says_so():
    out = without("/sys", "/proc", argv=("-a", "true"))
    assert (out.code, out.err) == (
        125, "pmk: cannot find out which processors are online: neither /sys nor /proc is "
             "mounted; mount one (mount -t sysfs sysfs /sys)\n"), out
