# SPDX-License-Identifier: MIT
"""pmk.stat() counts like the command, and returns plain values."""
import os
import signal
import subprocess
import sys
import threading

import pytest

from harness import SOURCE, have, started, stat as command_stat
from programs import assemble, loop
import pmk

pytestmark = pytest.mark.quick

ENDLESS = "\t.arm\n\t.global _start\n_start:\tb _start\n"


@pytest.fixture(scope="module")
def result():
    return pmk.stat([loop(1000)], events="cycles,dcache_miss,instr_exec", core="arm1176",
                    metrics=["cpi"])


def test_the_numbers_are_those_of_the_command(result):
    document = command_stat("-e", "cycles,dcache_miss,instr_exec", "-M", "cpi", "--core", "arm1176",
                            loop(1000), code=3)
    assert [(r.name, r.value, r.trust) for r in result.rows] == \
        [(c["event"], c["counter-value"], c["trust"]) for c in document["counters"]]
    assert len(document["metrics"]) == 1
    assert [(m.name, round(m.value, 6)) for m in result.metrics] == \
        [(m["name"], round(m["value"], 6)) for m in document["metrics"]]
    assert (result.pmu, result.core, result.passes) == (document["pmu"], document["core"],
                                                        document["passes"])


def test_exact_counts(result):
    assert result["instr_exec"] == 8 * 1000 + 5
    assert result.metric("cpi") == pytest.approx(result["cycles"] / result["instr_exec"])
    assert result.exit_code == 3 and not result.partial and result.producer.startswith("qemu-arm ")
    with pytest.raises(KeyError,
                       match="'itlb_miss' was not counted; counted: cycles, dcache_miss, "
                             "instr_exec"):
        result["itlb_miss"]
    with pytest.raises(KeyError, match="there is no metric 'ipc'; known: cpi"):
        result.metric("ipc")


def test_columns(result):
    columns = result.to_dict()
    assert columns["name"] == ["cycles", "dcache_miss", "instr_exec"]
    assert columns["value"] == [row.value for row in result.rows]
    assert {len(column) for column in columns.values()} == {3}
    for column in columns.values():
        assert all(value is None or isinstance(value, (int, float, str)) for value in column)


def test_what_cannot_be_counted_has_a_reason_and_no_value():
    event = next(e for e in pmk.find_pmu("arm1176").events if e.unmodelled)
    row, = pmk.stat([loop(10)], events=event.name, core="arm1176").rows
    assert row.value is None and row.trust == "not supported" and row.reason


def test_regions_and_settings():
    result = pmk.stat([loop(100)], events=["instr_exec"], core="arm1176", region="f",
                      settings={"dcache.size": "32K"})
    inside, = [row for row in result.rows if row.region == "f"]
    assert (inside.value, inside.entries) == (500, 100)
    assert "dcache.size=32K" in result.settings


def test_intervals_are_told_while_it_runs():
    told = []
    result = pmk.stat([loop(5000)], events="instr_exec", core="arm1176", interval="10000insns",
                      on_rows=told.append)
    assert len(told) == len(result.rows) > 3
    assert [row for rows in told for row in rows] == result.rows
    assert result.rows[-1].at_insns == 8 * 5000 + 5
    assert all(a.at_insns < b.at_insns for a, b in zip(result.rows, result.rows[1:]))
    with pytest.raises(KeyError, match="counted by interval"):
        result["instr_exec"]


def test_what_a_listener_raises_ends_the_run():
    def fail(rows):
        raise ValueError(f"{len(rows)} rows are too many")
    with pytest.raises(ValueError, match="1 rows are too many"):
        pmk.stat([assemble("endless", ENDLESS)], events="instr_exec", core="arm1176",
                 interval="100000insns", on_rows=fail)


@pytest.mark.parametrize("command, arguments, failure, line", [
    (["/no/such/program"], {}, pmk.Failure.NOT_FOUND, "/no/such/program: command not found"),
    ([os.devnull], {}, pmk.Failure.NOT_EXEC, os.devnull),
    ([], {}, pmk.Failure.USAGE, "no program"),
    (["LOOP"], {"events": "nope"}, pmk.Failure.USAGE, "has no event 'nope'"),
    (["LOOP"], {"core": "z80"}, pmk.Failure.USAGE, "unknown core 'z80'"),
    (["LOOP"], {"passes": "never"}, pmk.Failure.USAGE, "never"),
    (["LOOP"], {"nonsense": 1}, pmk.Failure.USAGE, "nonsense"),
])
def test_errors_are_the_lines_of_the_command(command, arguments, failure, line):
    with pytest.raises(pmk.CountError) as e:
        pmk.stat([loop(10) if word == "LOOP" else word for word in command], **arguments)
    assert e.value.failure == failure and line in str(e.value) and "\n" not in str(e.value)


def test_streams(tmp_path):
    (tmp_path / "in").write_text("in\n")
    command = ["/bin/sh", "-c", "cat; echo bad >&2"]
    out = pmk.stat(command, "page-faults:u", stdin=tmp_path / "in", stdout=pmk.Stream.CAPTURE,
                   stderr=pmk.Stream.STDOUT)
    assert (out.stdout, out.stderr) == (b"in\nbad\n", None)
    with open(tmp_path / "in") as f, open(tmp_path / "out", "w+b") as to:
        out = pmk.stat(command, "page-faults:u", stdin=f, stdout=to.fileno(),
                       stderr=pmk.Stream.CAPTURE)
        assert (out.stdout, out.stderr) == (None, b"bad\n")
        assert (tmp_path / "out").read_bytes() == b"in\n"
    # pmk.stat() captures output in emulation, too.
    out = pmk.stat([loop(1)], "instructions", stdout=pmk.Stream.CAPTURE)
    assert out.stdout == b""
    with pytest.raises(TypeError,
                       match="stdout: expected a path, a file or a descriptor, not float"):
        pmk.stat(command, stdout=1.5)


def test_a_command_is_a_list():
    with pytest.raises(TypeError, match="the command must be a list"):
        pmk.stat(loop(10))


def test_arguments_of_another_type_are_refused():
    with pytest.raises(TypeError, match="settings must be a dict, such as "):
        pmk.stat([loop(1)], settings="dcache.size=32K")
    with pytest.raises(TypeError, match="on_rows and on_note must be functions, not int"):
        pmk.stat([loop(1)], on_rows=5)
    for wrong in ({"env": {"A": "1"}}, {"core": b"arm1176"}, {"layout": object()}):
        with pytest.raises(TypeError, match=f"{list(wrong)[0]}: expected a text or a number, not "):
            pmk.stat([loop(1)], **wrong)


def test_a_word_with_a_nul_is_refused():
    for command, options in ((["./loop\0x"], {}), ([loop(1)], {"core": "arm\0"})):
        with pytest.raises(ValueError, match="null byte"):
            pmk.stat(command, **options)


def test_parameters_that_are_on_or_off():
    def hits(enable):
        return pmk.stat([loop(1000)], events="icache_miss", core="arm1176",
                        settings={"icache.enable": enable}).settings

    assert "icache.enable=off" in hits(False)
    assert "icache.enable=on" in hits("on")


def test_threads_count_at_the_same_time():
    have("qemu-arm", "arm-linux-gnueabi-gcc")
    results = {}

    def count(n):
        results[n] = pmk.stat([loop(n)], events="instr_exec", core="arm1176")["instr_exec"]
    threads = [threading.Thread(target=count, args=(n,)) for n in (50, 100, 1000)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {n: 8 * n + 5 for n in (50, 100, 1000)}


def test_a_dump():
    folder = os.path.join(SOURCE, "examples/api")
    result = pmk.stat(target=f"wave:{folder}/core.vcd", map=f"{folder}/core.ini",
                      events="instr_exec,dcache_miss")
    assert (result["instr_exec"], result["dcache_miss"]) == (14, 3)
    assert {row.trust for row in result.rows} == {"measured"}


def test_what_is_stopped_before_it_begins():
    """Ctrl-C stops a run even if it comes just before the run begins."""
    request = pmk.counting._Request(None, None)
    try:
        request.set("core", "arm1176")
        request.program([assemble("endless", ENDLESS)])
        pmk._library.lib.pmk_count_stop(request._handle, signal.SIGINT)
        try:
            request.run()
            assert request.result().partial
        except pmk.CountError as e:
            assert str(e) == "interrupted before the program began"
    finally:
        request.free()


INTERRUPTED = """
import sys
import pmk
try:
    pmk.stat([sys.argv[1]], events="instr_exec", core="arm1176", interval="100000insns",
             on_rows=lambda rows: print("counting", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_it():
    env = dict(os.environ, PYTHONPATH=os.path.join(SOURCE, "python"))
    p = subprocess.Popen([sys.executable, "-c", INTERRUPTED, assemble("endless", ENDLESS)], env=env,
                         stdout=subprocess.PIPE, text=True)
    assert p.stdout.readline() == "counting\n"
    p.send_signal(signal.SIGINT)
    assert p.stdout.read().split()[-1] == "interrupted"
    assert p.wait() == 0


def test_threads_are_distinguished():
    """Two child processes are distinguished by the names of their threads."""
    both = [started("sleep", "100") for _ in range(2)]
    try:
        r = pmk.stat(pid=",".join(str(p.pid) for p in both), per_thread=True, timeout=50,
                     events="context-switches", target="linux")
        assert [row.thread for row in r.rows] == [f"sleep-{p.pid}" for p in both]
        with pytest.raises(KeyError, match="CPU or thread"):
            r["context-switches"]
    finally:
        for p in both:
            p.kill()
            p.wait()


# There are three reads: one beat after one cycle, one beat after four, and two beats after five.
AXI_CYCLES = [{"arvalid"}, {"rvalid", "rlast"}, {"arvalid"}, set(), set(), set(),
              {"rvalid", "rlast"}, {"arvalid", "two"}, set(), set(), set(), {"rvalid"},
              {"rvalid", "rlast"}]


def axi_dump(folder):
    names = ["clk", "arvalid", "rvalid", "rlast", "two"]
    lines = ["$timescale 1 ns $end"]
    lines += [f"$var wire 1 {chr(97 + i)} {name} $end" for i, name in enumerate(names)]
    lines += ["$enddefinitions $end"]
    for n, high in enumerate(AXI_CYCLES):
        lines += [f"#{10 * n}", "0a"]
        lines += [f"{int(name in high)}{chr(97 + i)}" for i, name in enumerate(names) if i]
        lines += [f"#{10 * n + 5}", "1a"]
    (folder / "axi.vcd").write_text("\n".join(lines) + "\n")
    (folder / "axi.ini").write_text(
        "[clock]\nsignal = clk\n[axi m]\narvalid = arvalid\narready = 1\narlen = two\n"
        "rvalid = rvalid\nrready = 1\nrlast = rlast\n")
    return folder / "axi.vcd", folder / "axi.ini"


def test_what_is_spread_has_a_histogram(tmp_path):
    dump, ini = axi_dump(tmp_path)
    counted = pmk.stat(target=f"wave:{dump}", map=ini, events="m.read,m.read_length,m.ar")
    read, length, ar = counted.rows
    assert (read.latency_n, read.latency_sum, read.latency_min, read.latency_max,
            read.spread_of) == (3, 1 + 4 + 5, 1, 5, None)
    assert read.histogram == ((1, 1, 1), (4, 7, 2))
    assert (length.value, length.latency_sum, length.spread_of) == (3, 4, "beats in a burst")
    assert length.histogram == ((1, 1, 2), (2, 3, 1))
    assert (ar.value, ar.histogram, ar.spread_of, ar.latency_n) == (3, None, None, None)
    document = command_stat("-T", f"wave:{dump}", "--map", ini, "-e", "m.read,m.read_length")
    for row, c in zip(counted.rows, document["counters"]):
        assert list(row.histogram) == [(b["first"], b["last"], b["count"])
                                       for b in c["latency"]["histogram"]]
