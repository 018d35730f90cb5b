# SPDX-License-Identifier: MIT
"""Drivers, over models and over ports that are written in Python."""
import pytest

import pmk

pytestmark = pytest.mark.quick


def test_over_a_model():
    model = pmk.Model("arm1176")
    driver = pmk.Driver(model)
    driver.reset()
    driver.program("PMN0", "dcache_miss")
    driver.write("PMN0", 2 ** 32 - 4)
    driver.irq_enable("PMN0")
    assert not driver.running()
    driver.start()
    assert driver.running()
    model.bus.add("L1D_MISS", 10)
    assert driver.read("PMN0") == 6
    assert driver.pending() == [1] and model.irq
    driver.clear("PMN0")
    assert driver.pending() == [] and not model.irq
    driver.stop()
    model.bus.add("L1D_MISS", 10)
    assert driver.read("PMN0") == 6


@pytest.mark.parametrize("pmu", [p.name for p in pmk.pmus()])
def test_every_driver_counts_on_its_model(pmu):
    model = pmk.Model(pmu)
    driver = pmk.Driver(model)
    driver.reset()
    # The first event with a signal that some counter counts, in occurrences.
    counter, event = next((c, e) for c in model.pmu.counters for e in model.pmu.events
                          if len(e.signals) == 1 and e.signals[0] != "CYCLE" and not c.times
                          and c.fixed_code in (None, e.code) and not e.latency)
    driver.program(counter.number, event.name)
    driver.start()
    for on in range(pmk.AHBMON_BUSES if pmu == "ahbmon" else 1):
        model.bus.add(event.signals[0], 3, on=on)
    try:
        driver.sample()
    except pmk.Error as e:
        assert e.code == pmk.ErrorCode.ENOTSUP
    assert driver.read(counter.number) == 3


def test_a_port_in_python_sees_the_programming_sequence():
    registers, accesses = {}, []

    def read(reg):
        return registers.get(reg, 0)

    def write(reg, value):
        accesses.append((reg, value))
        registers[reg] = value
    driver = pmk.Driver(pmk.Port(read, write), "arm1176")
    driver.program("PMN1", 0x0b)
    driver.start()
    pmnc = driver.pmu.register("PMNC")
    assert [reg for reg, _ in accesses] == [pmnc.number] * 2
    assert pmnc.decode(accesses[-1][1])["EvtCount1"] == 0x0b and pmnc.decode(accesses[-1][1])["E"] == 1


def test_what_a_port_raises_comes_out_of_the_call():
    def gone(*_):
        raise ConnectionError("the probe is gone")
    driver = pmk.Driver(pmk.Port(gone, gone), "arm1176")
    with pytest.raises(ConnectionError, match="the probe is gone"):
        driver.read("PMN0")


def test_a_port_does_not_say_whose_it_is():
    with pytest.raises(TypeError, match="which PMU"):
        pmk.Driver(pmk.Port(lambda reg: 0, lambda reg, value: None))


def test_errors_have_reasons():
    driver = pmk.Driver(pmk.Model("arm1176"))
    with pytest.raises(pmk.Error, match="sample of arm1176: not supported by this hardware"):
        driver.sample()
    with pytest.raises(pmk.Error) as e:
        driver.program("CCNT", "dcache_miss")
    assert e.value.code in (pmk.ErrorCode.ENOTSUP, pmk.ErrorCode.ENOCTR, pmk.ErrorCode.EINVAL)
    with pytest.raises(pmk.Error) as e:
        pmk.Driver(pmk.Model("arm1176", mode=pmk.Mode.USER)).reset()
    assert e.value.code == pmk.ErrorCode.EUNDEF
