# SPDX-License-Identifier: MIT
"""PMUs, events and registers are available as plain values."""
import copy
import dataclasses
import json
import pickle
import re

import pytest

from harness import pmk as command
import pmk

pytestmark = pytest.mark.quick


def test_all_pmus_are_there():
    out = command("list", "pmus").out
    listed = re.findall(r"^  (\S+) +(\d+) events, +(\d+) counters?  ", out, re.M)
    by_name = {p.name: p for p in pmk.pmus()}
    assert len(listed) > 10
    # The PMU "amba" is made from the map of a dump, so it has no events without one.
    assert listed.pop()[0] == "amba"
    names = {}
    for name, events, counters in listed:
        # If a PMU has aliases for one core, the command shows names of cores. find_pmu() knows all
        # names.
        names[pmk.find_pmu(name).name] = (int(events), int(counters))
    assert names == {p.name: (len(p.events), len(p.counters)) for p in by_name.values()}


def test_an_event():
    arm = pmk.find_pmu("ARM1176")
    event = arm.event("dcache_miss")
    assert (event.code, event.name, event.signals, event.cycles) == (0x0b, "dcache_miss",
                                                                     ("L1D_MISS",), False)
    assert arm.event(0x0b) == event and arm.event("DCACHE_MISS") == event
    assert all(arm.event(alias) == event for alias in event.aliases)
    assert event in arm.events and set(event.signals) <= set(pmk.signals())


def test_what_is_not_there_says_what_is():
    with pytest.raises(KeyError, match="there is no PMU 'z80'; known: "):
        pmk.find_pmu("z80")
    arm = pmk.find_pmu("arm1176")
    with pytest.raises(KeyError, match="arm1176 has no event 'nope'"):
        arm.event("nope")
    with pytest.raises(KeyError,
                       match="arm1176 has no register 'PMN2'; it has PMNC, CCNT, PMN0, PMN1, "
                             "SUNAVCR"):
        arm.register("PMN2")
    with pytest.raises(KeyError, match="arm1176 has no counter 'PMN2'; it has CCNT, PMN0, PMN1"):
        arm.counter("PMN2")


def test_a_register():
    pmnc = pmk.find_pmu("arm1176").register("pmnc")
    assert (pmnc.number, pmnc.name, pmnc.width, pmnc.where) == (0, "PMNC", 32,
                                                                "p15, 0, <Rd>, c15, c12, 0")
    field = pmnc.field("evtcount0")
    assert (field.mask, field.access, field.event) == (0x0ff00000, "RW", True)
    assert field.get(0x00b0b701) == 0x0b and field.put(0x00b0b701, 0x12) == 0x0120b701
    decoded = pmnc.decode(0x00b0b701)
    assert (decoded["EvtCount1"], decoded["CCR"], decoded["CR0"], decoded["E"]) == (0x0b, 1, 1, 1)


def test_counters():
    arm = pmk.find_pmu("arm1176")
    assert [(c.number, c.name, c.width, c.fixed_code) for c in arm.counters] == \
        [(0, "CCNT", 32, 0xff), (1, "PMN0", 32, None), (2, "PMN1", 32, None)]
    assert any(c.times for c in pmk.find_pmu("microblaze").counters)


def test_they_go_from_one_process_to_another():
    """Objects can be pickled, as multiprocessing does. If an exception of a worker could not be
    unpickled, the pool would hang."""
    for pmu in pmk.pmus():
        assert pickle.loads(pickle.dumps(pmu)) is pmu and copy.deepcopy(pmu) is pmu
    for error in (pmk.Error(pmk.ErrorCode.EINVAL, "reading PMNC"),
                  pmk.CountError(127, "./a: command not found")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_values_are_plain():
    """All values have plain types, so users can put them into tables."""
    for pmu in pmk.pmus():
        for event in pmu.events:
            for value in dataclasses.asdict(event).values():
                assert isinstance(value, (int, str, bool, tuple)), event
        assert json.loads(json.dumps(dataclasses.asdict(pmu)))["name"] == pmu.name
