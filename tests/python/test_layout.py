# SPDX-License-Identifier: MIT
"""The copies of structs and numbers in the Python package agree with the headers."""
import ctypes
import os

import pytest

from harness import BUILD, SOURCE, run
from pmk import DumpState, ErrorCode, Failure, Mode, _library, models

pytestmark = pytest.mark.quick

STRUCTS = {
    "pmk_event": _library.CEvent, "pmk_field": _library.CField, "pmk_reg_info": _library.CRegister,
    "pmk_counter": _library.CCounter, "pmk_port": _library.CPort, "pmk_latency": _library.CLatency,
    "pmk_dev": _library.CDevice, "pmk_driver": _library.CDriver, "pmk_pmu": _library.CPmu,
    "pmk_microblaze_config": _library.CMicroblazeConfig,
    "pmk_microblaze_pmu": _library.CMicroblazePmu,
    "pmk_ahbmon_layout": _library.CAhbmonLayout,
    "pmk_model_param": _library.CParameter, "pmk_model_ops": _library.CModel,
           "pmk_model_port": _library.CModelPort,
    "pmk_signal_set": _library.CSignalSet, "pmk_latency_record": _library.CLatencyRecord,
           "pmk_bus": _library.CBus,
    "pmk_count_error": _library.CCountError, "pmk_count_row": _library.CCountRow,
    "pmk_count_metric": _library.CCountMetric, "pmk_count_summary": _library.CCountSummary,
    "pmk_count_setting": _library.CCountSetting,
    "pmk_dump_text": _library.CDumpText, "pmk_dump_event": _library.CDumpEvent,
    "pmk_dump_count": _library.CDumpCount, "pmk_dump_region": _library.CDumpRegion,
    "pmk_profile_sample": _library.CDumpSample, "pmk_dump": _library.CDump,
    "pmk_count_listener": _library.CCountListener,
}
HEADERS = ["pmk/ahbmon.h", "pmk/count.h", "pmk/dump.h", "pmk/microblaze.h",
           "pmk/model.h", "pmk/session.h"]


def constants():
    known = {"PMK_NSIGNALS": len(_library.SIGNALS), "PMK_DUMP_EVENTS": _library.DUMP_EVENTS,
             "PMK_LATENCY_LOG": _library.LATENCY_LOG,
             "PMK_LATENCY_OPEN": _library.LATENCY_OPEN, "PMK_AHBMON_NBUSES": models.AHBMON_BUSES,
             "PMK_AHBMON_NREGS": _library.AHBMON_REGISTERS}
    known.update({f"PMK_{e.name}": int(e) for e in ErrorCode})
    known.update({f"PMK_DUMP_{s.name}": int(s) for s in DumpState})
    known.update({f"PMK_MODE_{m.name}": int(m) for m in Mode})
    known.update({f"PMK_COUNT_{f.name}": int(f) for f in Failure})
    return known


def test_all_structs_are_compared():
    written = {c for name, c in vars(_library).items()
               if isinstance(c, type) and issubclass(c, ctypes.Structure)
               and c not in (ctypes.Structure, _library._Sized)}
    assert written == set(STRUCTS.values())


def test_layout(tmp_path):
    wanted, lines = [], []
    for name, c in STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        wanted.append(f"{name} {ctypes.sizeof(c)}")
        for field in c._fields_:
            member = getattr(c, field[0])
            lines.append(f'printf("{name}.{field[0]} %zu %zu\\n", offsetof(struct {name}, '
                         f'{field[0]}), '
                         f"sizeof(((struct {name} *)0)->{field[0]}));")
            wanted.append(f"{name}.{field[0]} {member.offset} {member.size}")
    for name, value in constants().items():
        lines.append(f'printf("{name} %d\\n", (int){name});')
        wanted.append(f"{name} {value}")
    source = tmp_path / "layout.c"
    source.write_text("#include <stdio.h>\n" + "".join(f"#include <{h}>\n" for h in HEADERS) +
                      "int main(void)\n{\n" + "".join(f"\t{line}\n" for line in lines)
                      + "\treturn 0;\n}\n")
    out = run("gcc", "-std=c11", "-I", os.path.join(SOURCE, "include"), "-o", tmp_path / "layout",
              source)
    assert out.code == 0, out
    assert run(tmp_path / "layout").out.splitlines() == wanted


def test_every_error_is_there():
    with open(os.path.join(SOURCE, "include/pmk/error.h")) as f:
        text = f.read()
    assert all(f"X(PMK_{e.name}," in text for e in ErrorCode)
    assert text.count("X(PMK_E") == len(ErrorCode)


def test_it_is_the_library_of_this_build():
    assert _library.library_path() == os.path.join(BUILD, "libpmk.so.0")
