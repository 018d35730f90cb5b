# SPDX-License-Identifier: MIT
"""Drivers work on models, and on ports that are written in Python."""
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
    # The first event that has a signal, that a counter can count, and that counts occurrences
    # instead of cycles.
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
    assert pmnc.decode(
        accesses[-1][1])["EvtCount1"] == 0x0b and pmnc.decode(accesses[-1][1])["E"] == 1


def test_what_a_port_raises_comes_out_of_the_call():
    def gone(*_):
        raise ConnectionError("the probe is gone")
    driver = pmk.Driver(pmk.Port(gone, gone), "arm1176")
    with pytest.raises(ConnectionError, match="the probe is gone"):
        driver.read("PMN0")


def test_a_port_does_not_say_whose_it_is():
    with pytest.raises(TypeError, match="does not know its PMU"):
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


@pytest.mark.parametrize("pmu", [p.name for p in pmk.pmus()])
def test_a_port_takes_whatever_the_registers_hold(pmu):
    model = pmk.Model(pmu)
    driver = pmk.Driver(pmk.Port(model.__getitem__, model.__setitem__), pmu)
    driver.reset()
    for counter in model.pmu.counters:
        try:
            driver.write(counter.name, 2 ** counter.width - 1)
        except pmk.Error as e:
            assert e.code == pmk.ErrorCode.ENOTSUP
        driver.read(counter.name)
    driver.start()
    driver.pending()


def test_wrong_values_are_refused():
    driver = pmk.Driver(pmk.Model("arm1176"))
    driver.write("PMN0", 5)
    for value in (-1, 2 ** 32, 2 ** 64):
        with pytest.raises(ValueError, match="PMN0 has 32 bits"):
            driver.write("PMN0", value)
    for value in (None, "5", 5.0):
        with pytest.raises(TypeError):
            driver.write("PMN0", value)
    assert driver.read("PMN0") == 5
    with pytest.raises(KeyError, match="no event 65547"):
        driver.program("PMN0", 2 ** 16 + 0x0b)
    with pytest.raises(TypeError, match="an event: expected its name as a str, not NoneType"):
        driver.program("PMN0", None)


def test_what_is_no_port_is_refused():
    for read, write in ((None, None), (lambda reg: 0, None)):
        with pytest.raises(TypeError, match="a port is two functions"):
            pmk.Port(read, write)
    with pytest.raises(TypeError, match="works on a Model or a Port, not str"):
        pmk.Driver("arm1176", "arm1176")
    with pytest.raises(TypeError, match="a PMU: expected its name as a str, not int"):
        pmk.Driver(pmk.Port(lambda reg: 0, lambda reg, value: None), 5)


def test_what_a_port_reads_is_a_value_of_the_register():
    for value, error in ((2 ** 40, ValueError), (-1, ValueError), (None, TypeError),
                         ("1", TypeError)):
        driver = pmk.Driver(pmk.Port(lambda reg: value, lambda reg, value: None), "arm1176")
        with pytest.raises(error, match="PMN0, as the port reads it, has 32 bits"
                           if error is ValueError else ""):
            driver.read("PMN0")
