# SPDX-License-Identifier: MIT
"""Models accept register accesses one by one. The values are those of the documents."""
import gc
import os
import pickle
import re
import threading

import pytest

from harness import SOURCE
import pmk

pytestmark = pytest.mark.quick

PMNC_GO = 0x00b07007  # dcache_miss, instr_exec, zeroed counters, enabled


def test_it_counts_after_the_start_delay():
    model = pmk.Model("arm1176")
    model["PMNC"] = PMNC_GO
    model.bus.add("CYCLE", 2)
    model.bus.add("L1D_MISS")
    assert model["PMN0"] == 0
    model.bus.add("CYCLE", 1)
    model.bus.add("L1D_MISS", 5)
    model.bus.add("INSN", 7)
    assert (model["PMN0"], model["PMN1"], model["CCNT"]) == (5, 7, 0)
    assert model.bus["L1D_MISS"] == 6


def test_the_interrupt_comes_at_the_right_count():
    model = pmk.Model("arm1176")
    model["PMN0"] = 2 ** 32 - 10
    model["PMNC"] = PMNC_GO & ~2 | 1 << 4
    model.bus.add("CYCLE", 3)
    model.bus.add("L1D_MISS", 9)
    assert not model.irq
    model.bus.add("L1D_MISS", 1)
    assert model.irq and not model.fiq and model.fields("PMNC")["CR0"] == 1
    model["PMNC"] = model["PMNC"]  # a 1 clears the flag
    assert not model.irq and model.fields("PMNC")["CR0"] == 0


def test_one_step_over_several_overflows_loses_none():
    model = pmk.Model("cortex-a53")
    model["PMEVTYPER0"] = 0x11  # CPU_CYCLES
    model["PMEVTYPER1"] = 0x1e  # CHAIN: overflows of counter 0
    model["PMCNTENSET"] = 3
    model["PMCR"] = 1
    model["PMEVCNTR0"] = 0
    model.bus.add("CYCLE", 5 * 2 ** 32 + 3)
    assert (model["PMEVCNTR0"], model["PMEVCNTR1"]) == (3, 5)


def test_modes():
    model = pmk.Model("arm1176", mode=pmk.Mode.USER)
    why = "reading PMNC of arm1176: the access takes an Undefined exception"
    with pytest.raises(pmk.Error, match=why) as e:
        model["PMNC"]
    assert e.value.code == pmk.ErrorCode.EUNDEF
    assert model.oddities
    model.mode = pmk.Mode.PRIV
    model["SUNAVCR"] = 1
    model.mode = pmk.Mode.USER
    assert model["PMNC"] == 0


def test_parameters():
    assert "strict_e_clear" in pmk.Model.parameters("arm1176")

    def flag_after_clearing_with_e_0(**parameters):
        model = pmk.Model("arm1176", **parameters)
        model["PMN0"] = 2 ** 32 - 1
        model["PMNC"] = PMNC_GO & ~2
        model.bus.add("CYCLE", 3)
        model.bus.add("L1D_MISS")
        assert model.fields("PMNC")["CR0"] == 1
        model["PMNC"] = 1 << 8
        return model.fields("PMNC")["CR0"]
    assert flag_after_clearing_with_e_0() == 1
    assert flag_after_clearing_with_e_0(strict_e_clear=False) == 0
    assert pmk.Model("arm1136", ccnt_reset=0x12345678)["CCNT"] == 0x12345678
    with pytest.raises(KeyError, match="has no parameter 'nope'; it has user_access, "):
        pmk.Model("arm1176", nope=1)


def test_parameters_outlive_a_reset():
    model = pmk.Model("arm1136", ccnt_reset=7)
    model["CCNT"] = 1
    model.reset()
    assert model["CCNT"] == 7


def test_inputs():
    model = pmk.Model("arm1176")
    model["PMNC"] = PMNC_GO
    model.bus.add("CYCLE", 3)
    model.set_input("debug", 1)
    model.bus.add("L1D_MISS", 5)
    assert model["PMN0"] == 0
    model.set_input("debug", 0)
    model.bus.add("L1D_MISS", 5)
    assert model["PMN0"] == 5
    with pytest.raises(KeyError, match="has no input 'nope'; it has debug, niden, cp15sdisable"):
        model.set_input("nope", 1)


def test_two_models_on_one_bus():
    bus = pmk.Bus()
    models = [pmk.Model(name, bus) for name in ("arm1136", "arm1176")]
    for model in models:
        model["PMNC"] = PMNC_GO
    bus.add("CYCLE", 3)
    bus.add("L1D_MISS", 4)
    assert [m["PMN0"] for m in models] == [4, 4]
    del models, model
    gc.collect()
    bus.add("L1D_MISS", 4)  # deleted models do not see this
    assert bus["L1D_MISS"] == 8


def test_what_a_bus_raises_decides_what_a_core_announces():
    def announced(raised):
        return pmk.Model("cortex-a53", pmk.Bus(raised))["PMCEID0"] >> 0x03 & 1
    assert announced(["CYCLE", "L1D_MISS"]) == 1
    assert announced(["CYCLE"]) == 0


def test_latencies():
    model = pmk.Model("microblaze")
    driver = pmk.Driver(model)
    driver.reset()
    counter = next(c for c in model.pmu.counters if c.times)
    event = next(e for e in model.pmu.events if e.latency and e.signals)
    driver.program(counter.name, event.name)
    driver.start()
    for cycles in (4, 9):
        model.bus.add_timed(event.signals[0], cycles)
        model.bus.add("CYCLE", cycles)
    driver.sample()
    assert driver.latency(counter.name) == pmk.Latency(n=2, sum=13, sum2=97, min=4, max=9)


def test_the_ahb_monitor_looks_at_several_buses():
    model = pmk.Model("ahbmon")
    driver = pmk.Driver(model)
    driver.reset()
    driver.start()
    armd = 6
    model.bus.add("AHB_READ", 3, on=armd)
    assert driver.read("CtArmdRd") == 3 and driver.read("CtDma0Rd") == 0
    with pytest.raises(ValueError, match="ahbmon needs 8 buses"):
        pmk.Model("ahbmon", pmk.Bus())


def test_every_register_of_every_pmu_can_be_read_or_says_why():
    for pmu in pmk.pmus():
        model = pmk.Model(pmu)
        readable = 0
        for register in pmu.registers:
            try:
                model[register.number]
                readable += 1
            except pmk.Error:
                pass
        assert readable, pmu.name


def test_wrong_values_are_refused():
    model = pmk.Model("arm1176")
    for value in (-1, 2 ** 32 + 7, 2 ** 64):
        with pytest.raises(ValueError, match="CCNT has 32 bits"):
            model["CCNT"] = value
    for value in (None, "1", 1.0):
        with pytest.raises(TypeError):
            model["CCNT"] = value
    assert model["CCNT"] == 0
    for make in (lambda: pmk.Model("arm1176", mode="zz"), lambda: setattr(model, "mode", 4)):
        with pytest.raises(ValueError, match="is not a mode; the modes are Mode.PRIV, "):
            make()
    assert model.mode is pmk.Mode.PRIV
    with pytest.raises(ValueError, match="ccnt_reset has 32 bits"):
        pmk.Model("arm1136", ccnt_reset=2 ** 32)
    with pytest.raises(ValueError, match="debug has 64 bits"):
        model.set_input("debug", -1)
    for wrong in (lambda: pmk.Model(5), lambda: pmk.Model("arm1176", bus="bus"),
                  lambda: model[None], lambda: pmk.Bus("CYCLE"), lambda: model.bus.add(5)):
        with pytest.raises(TypeError):
            wrong()
    for wrong in (lambda: pmk.Bus(count=0), lambda: model.bus.add("INSN", on=-1),
                  lambda: model.bus.add("INSN", on=1),
                  lambda: model.bus.add_timed("L1D_MISS", 2 ** 32),
                  lambda: model.bus.add_timed("L1D_MISS", 4, -1),
                  lambda: model.pmu.register("PMNC").field("EvtCount0").put(0, 256)):
        with pytest.raises(ValueError):
            wrong()
    assert model.bus["INSN"] == model.bus["L1D_MISS"] == 0
    with pytest.raises(ValueError, match="totals cannot decrease"):
        model.bus.add("INSN", -1)
    with pytest.raises(KeyError, match="there is no signal 'nope'"):
        model.bus.add("nope")


def test_a_total_has_64_bits():
    model = pmk.Model("arm1176")
    for n in (-1, 2**64):
        with pytest.raises(ValueError):
            model.bus.add("CYCLE", n)
    assert model.bus["CYCLE"] == 0


def test_threads_with_a_model_each():
    results = {}

    def work(n):
        model = pmk.Model("arm1176")
        model["PMNC"] = PMNC_GO
        model.bus.add("CYCLE", 3)
        for _ in range(200):
            model.bus.add("L1D_MISS", n)
        results[n] = model["PMN0"]
    threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {1: 200, 2: 400, 3: 600}


@pytest.mark.parametrize("events, latencies, width", [(5, 1, 32), (48, 7, 64), (1, 0, 48)])
def test_a_microblaze_of_any_configuration(events, latencies, width):
    pmu = pmk.microblaze(events, latencies, width)
    assert [c.times for c in pmu.counters] == [False] * events + [True] * latencies
    assert pmu.counters[0].width == width
    model = pmk.Model(pickle.loads(pickle.dumps(pmu)))
    driver = pmk.Driver(model)
    driver.reset()
    driver.program(events - 1, "load_word")
    driver.start()
    model.bus.add("LOAD_WORD", 2 ** 32 + 5)
    driver.sample()
    assert driver.read(events - 1) == (2 ** 32 + 5) % 2 ** width
    assert pmk.find_pmu("microblaze").counters[0].width == 32


def test_a_microblaze_that_nobody_builds():
    for wrong in ((49, 0, 32), (0, 0, 32), (5, 8, 32), (5, 1, 33)):
        with pytest.raises(pmk.Error):
            pmk.microblaze(*wrong)
    with pytest.raises(ValueError):
        pmk.microblaze(-1)


def test_an_ahb_monitor_of_any_layout(tmp_path):
    with open(os.path.join(SOURCE, "data/layouts/sp816.ini")) as f:
        text = f.read()
    other = tmp_path / "other.ini"
    other.write_text(re.sub(r"(?m)^enable = 0$", "enable = 7", text))
    for layout, bit in (("data/layouts/sp816.ini", 0), (other, 7)):
        pmu = pmk.ahbmon(os.path.join(SOURCE, layout))
        model = pmk.Model(pickle.loads(pickle.dumps(pmu)))
        driver = pmk.Driver(model)
        driver.reset()
        driver.start()
        assert model["AHBMONCtrlReg"] & 0x81 == 1 << bit
        assert driver.running
    (tmp_path / "bad.ini").write_text("[layout]\nname = x\nthere = 1\n")
    with pytest.raises(ValueError, match=r"bad.ini:3: "):
        pmk.ahbmon(tmp_path / "bad.ini")


def test_a_cycle_of_evntbus():
    """In a cycle of EVNTBUS, br_exec is [6:5] (DDI 0211 Table 3.141) or [5] (DDI 0301H Table
    3-137)."""
    bus = pmk.find_pmu("arm1136").evntbus
    assert {k: n for k, n in bus.decode(0x241).items() if n} == {"instr_exec": 2, "br_exec": 2,
                                                                 "icache_miss": 1}
    assert pmk.find_pmu("arm1176").evntbus.field("br_exec").mask == 0x20
    for name in ("arm1156", "cortex-a53"):
        assert pmk.find_pmu(name).evntbus is None


def test_the_view_from_aarch32():
    model = pmk.Model("cortex-a53")
    model.mcr(9, 12, 0, 0x41)  # PMCR: E, LC
    model.mcr(9, 12, 1, 0x80000000)  # PMCNTENSET: the cycle counter
    model.bus.add("CYCLE", 2 ** 32 + 9)
    assert model.mrrc() == model["PMCCNTR"] == 2 ** 32 + 9
    assert model.mrc(9, 13, 0) == 9
    model.mcrr(7)
    assert model["PMCCNTR"] == 7
    with pytest.raises(pmk.Error):
        model.mrc(9, 15, 7)
    with pytest.raises(ValueError, match="opc2 has 3 bits"):
        model.mrc(9, 12, 8)
    with pytest.raises(KeyError, match="arm1176 has no AArch32 view"):
        pmk.Model("arm1176").mrc(9, 12, 0)
