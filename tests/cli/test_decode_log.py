# SPDX-License-Identifier: MIT
"""pmk decode --log explains a program's accesses to its PMU."""
import json
import os

from harness import *

pytestmark = pytest.mark.quick

HEAD = """# pmk register log 1
# pmu arm1176
# core arm1176
cycles,instructions,cpu,address,mode,access,register,value,remarks
"""
LOG = HEAD + """\
10,4,0,0x8000,priv,write,PMNC,0x00b0b707,
12,6,0,0x8008,priv,write,PMNC,0x03a0b081,"selected an event that this core does not have; \
wrote 1 to a bit that should be written as 0"
40,20,0,0x8010,user,read,PMN0,0x0000002a,"does not count: it is disabled, filtered out, or has no \
event"
41,21,0,0x8014,,interrupt,,1,
44,24,0,0x8020,priv,write,PMNC,0x00000701,"clears CCR; clears CR1; clears CR0"
44,24,0,0x8020,,interrupt,,0,
50,30,0,0x8010,user,read,PMN0,0x0000002a,"does not count: it is disabled, filtered out, or has no \
event"
"""


def decode(tmp_path, text, *options):
    path = tmp_path / "log"
    path.write_text(text)
    return pmk("decode", "--log", path, *options)


def test_text_of_a_log_is_made_printable(tmp_path):
    """Control characters of a log, which may come from anyone, do not reach the terminal, and the
    JSON is UTF-8."""
    odd = b"\x1b]0;title\x07 \xc2\x9b \xff"
    path = tmp_path / "log"
    path.write_bytes(HEAD.replace("core arm1176", "core arm%").encode().replace(b"%", odd) +
                     b'1,1,0,0x8000,priv,read,PMNC,0x0,"' + odd + b'"\n')
    plain = r"\x1b]0;title\x07 \xc2\x9b \xff"
    out = pmk("decode", "--log", path)
    equal((out.code, out.err, out.out.count(plain)), (0, "", 3), out)
    assert all(c >= " " or c == "\n" for c in out.out) and "\x9b" not in out.out, repr(out.out)
    out = subprocess.run([PMK, "decode", "--log", path, "-j"], capture_output=True)
    assert b"\xc2\x9b" not in out.stdout, out.stdout
    equal(json.loads(out.stdout.decode())["remarks"], ["\x1b]0;title\x07 \x9b \ufffd"])


def test_every_access_is_explained(tmp_path):
    out = decode(tmp_path, LOG)
    equal((out.code, out.err), (0, ""), out)
    equal([line.rstrip() for line in out.out.splitlines()], """\
arm1176 of core arm1176

        cycles   instructions  at                   access
            10              4  0x8000               write PMNC = 0x00b0b707 EvtCount0=dcache_miss \
EvtCount1=dcache_miss CCR CR1 CR0 C P E
            12              6  0x8008               write PMNC = 0x03a0b081 EvtCount0=0x3a \
EvtCount1=dcache_miss SBZ! E
                                ! selected an event that this core does not have
                                ! wrote 1 to a bit that should be written as 0
            40             20  0x8010               read  PMN0 = 0x0000002a
                                ! does not count: it is disabled, filtered out, or has no event
            41             21  0x8014               interrupt asserted
            44             24  0x8020               write PMNC = 0x00000701 EvtCount0=icache_miss \
EvtCount1=icache_miss CCR CR1 CR0 E
                                ! clears CCR
                                ! clears CR1
                                ! clears CR0
            44             24  0x8020               interrupt gone
            50             30  0x8010               read  PMN0 = 0x0000002a
                                ! does not count: it is disabled, filtered out, or has no event

     reads     writes  register
         0          3  PMNC         Performance Monitor Control Register
         2          0  PMN0         Count Register 0

the interrupt was asserted 1 times

     times first in line  remark
         1             6  selected an event that this core does not have
         1             6  wrote 1 to a bit that should be written as 0
         2             7  does not count: it is disabled, filtered out, or has no event
         1             9  clears CCR
         1             9  clears CR1
         1             9  clears CR0
""".splitlines())


def test_json_has_an_object_for_each_line(tmp_path):
    out = decode(tmp_path, LOG, "-j")
    rows = [json.loads(line) for line in out.out.splitlines()]
    equal(len(rows), 7)
    equal(rows[1], {"cycles": 12, "instructions": 6, "cpu": 0, "address": "0x8008",
                    "function": None, "mode": "priv", "access": "write", "register": "PMNC",
                    "value": "0x03a0b081",
                    "remarks": ["selected an event that this core does not have",
                                "wrote 1 to a bit that should be written as 0"]})
    equal((rows[3]["access"], rows[3]["register"], rows[3]["mode"], rows[3]["value"]),
          ("interrupt", None, None, "0x1"))


def test_functions_have_names(tmp_path):
    have(CROSS + "gcc")
    source = tmp_path / "f.s"
    source.write_text(".global _start\n_start: nop\n nop\n.global other\nother: nop\n nop\n")
    out = run(CROSS + "gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x8000", source, "-o",
              tmp_path / "f.elf")
    equal(out.code, 0, out.err)
    out = decode(tmp_path, HEAD + "1,1,0,0x8004,priv,read,PMNC,0x0,\n"
                 "2,2,0,0x8008,priv,read,PMNC,0x0,\n", "--elf", tmp_path / "f.elf")
    for line in ("_start               read  PMNC", "other                read  PMNC"):
        contains(out.out, line)


@pytest.mark.parametrize("line", [
    "1,1,0,0x8000,priv,read,PMNC,0x0", "1,1,0,0x8000,priv,read,NOSUCH,0x0,",
    "1,1,0,0x8000,priv,look,PMNC,0x0,", "-1,1,0,0x8000,priv,read,PMNC,0x0,",
    "1,1,0,0x8000,priv,read,PMNC,0x100000000,", "1,1,0,0x8000,priv,read,PMNC,0x0,open",
    '1,1,0,0x8000,priv,read,PMNC,0x0,"open', "1,1,0,0x8000,,interrupt,,2,", "",
])
def test_a_broken_line_is_named(tmp_path, line):
    out = decode(tmp_path, LOG + line + "\n")
    equal((out.code, out.err),
          (125, f"pmk: {tmp_path}/log:12: not a line of a register log for arm1176\n"))


def test_other_files_are_refused(tmp_path):
    for text in ("", "hello\n", "# pmk register log 2\n", "# pmk register log 1\n# pmu nosuch\n",
                 "# pmk register log 1\n# pmu arm1176\n"):
        out = decode(tmp_path, text)
        equal((out.code, out.err),
              (125, f"pmk: {tmp_path}/log: not a register log of pmk run --log\n"), text)
    out = pmk("decode", "--log", tmp_path / "none")
    equal((out.code, out.err), (125, f"pmk: --log {tmp_path}/none: No such file or directory\n"))
    out = pmk("decode", "--log", os.path.join(SOURCE, "tests/fuzz/corpus/log/arm1176"), "arm1176")
    equal(out.code, 129)
