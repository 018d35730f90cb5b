# SPDX-License-Identifier: MIT
"""pmk gate splits the change between two builds of a program into work, layout and rest."""
from harness import *
from programs import assemble

pytestmark = pytest.mark.quick

# A loop of 100 turns that loads and stores, and a function that is the same in all builds.
PROGRAM = """
	.syntax	unified
	.arm
	.global	_start, work, other
	.type	_start, %function
	.type	work, %function
	.type	other, %function
_start:	bl	work
	bl	other
	mov	r0, #CODE
	mov	r7, #1
	svc	#0
PAD
work:	push	{r4, lr}
	mov	r4, #TURNS
1:	MORE
	push	{r0}
	pop	{r0}
	subs	r4, r4, #1
	bne	1b
	pop	{r4, pc}
other:	ldr	r1, =0x1234567
	mov	r2, #50
2:	subs	r2, r2, #1
	bne	2b
	bx	lr
"""

# Executes another program, which is not counted.
EXEC = """
	b	9f
8:	.asciz	"/bin/true"
	.balign	4
9:	adr	r0, 8b
	mov	r1, #0
	mov	r2, #0
	mov	r7, #11
	svc	#0
"""


def build(turns=100, more="", pad=0, code=0, stack="", flags=()):
    source = PROGRAM.replace("TURNS", str(turns)).replace("MORE", more or "mov r1, r2")
    source = source.replace("PAD", "\tnop\n" * pad).replace("CODE", str(code))
    return assemble("gate", source.replace("_start:", f"_start:\t{stack}\n", 1), *flags)


def gate(*argv, code=0):
    have("qemu-arm")
    out = pmk("gate", *argv)
    equal(out.code, code, str(out))
    return out


def events(*argv, code=0):
    """Returns {name: event}, and the document."""
    document = json.loads(gate("-j", *argv, code=code).out)
    equal((document["format"], document["version"]), ("pmk-gate", 1))
    for e in document["events"]:
        equal(e["change"], e["work"] + e["layout"] + e["rest"], e)
        equal((e["new"] - e["base"], len(e["works"])), (e["change"], document["layouts"]), e)
    return {e["event"]: e for e in document["events"]}, document


def test_a_moved_function_has_no_work():
    found, document = events("--fail-over", "0", build(), build(pad=37))
    equal({(e["work"], e["rest"]) for e in found.values()}, {(0, 0)})
    assert found["cpu_cycles"]["change"], "the layout makes no difference here: the test is vain"
    equal(document["layouts"], 2)


def test_more_instructions_are_work():
    base, new = build(), build(more="mov r1, r2\n\tnop\n\tnop", pad=5)
    found, _ = events("--limit", "instr_exec=+199", base, new, code=1)
    equal([found["instr_exec"][k] for k in ("change", "work", "layout", "rest", "over")],
          [200, 200, 0, 0, "+199"])
    equal(set(found), {"instr_exec"}, "only events with limits are counted")
    found, _ = events("--fail-over", "1000%", "--limit", "instr_exec=+199", base, new, code=1)
    assert len(found) > 2, found
    contains(gate("--limit", "nosuch=1%", base, new, code=129).err, "has no event 'nosuch'")
    found, _ = events("-e", "cpu_cycles", "--limit", "instr_exec=+200", base, new)
    equal((set(found), found["instr_exec"]["over"]), ({"cpu_cycles", "instr_exec"}, None))


def test_more_executions_are_work():
    # Both programs have the same code; only the number of turns differs.
    found, _ = events(build(), build(turns=110))
    equal((found["instr_exec"]["work"], found["instr_exec"]["rest"]), (50, 0))
    assert 0 < found["cpu_cycles"]["work"] <= found["cpu_cycles"]["base"] // 8, found["cpu_cycles"]


def test_each_layout_has_its_stack():
    # The additional work depends on the stack's address: one turn for each multiple of 16 bytes
    # below 1024.
    new = build(stack="and r3, sp, #0x3f0\n3:\tsubs r3, r3, #16\n\tbgt 3b")
    found, document = events("-e", "instr_exec", "--layouts", "3", build(), new)
    works = found["instr_exec"]["works"]
    equal((document["layouts"], len(set(works)) > 1), (3, True), works)
    equal(found["instr_exec"]["work"], sorted(works)[1])
    text = gate("-e", "instr_exec", "--layouts", "3", build(), new).out
    contains(text, "in 3 layouts")
    contains(text, "% to +")


def test_text_and_markdown(tmp_path):
    base, new = build(), build(more="nop\n\tnop")
    out = gate("-e", "instr_exec", "--fail-over", "1%", base, new, code=1)
    contains(out.out, f"Change from {base} to {new}, in 2 layouts")
    contains(out.out, "+100  +16.")
    contains(out.err, "pmk: instr_exec: the work has grown by 100 (+16.")
    contains(out.err, ", over 1%")
    path = tmp_path / "gate.md"
    gate("-e", "instr_exec", "--fail-over", "1%", "--markdown", "-o", path, base, new, code=1)
    contains(path.read_text(), "**The work of 1 event is over its limit.**")
    contains(path.read_text(), "| +100 | **+16.")
    contains(gate("--markdown", "--fail-over", "0", base, base).out, "No work is over its limit.")


def test_the_label_and_notes_are_printed(tmp_path):
    """pmk gate prints the label and the note of pmk stat. The changed parameter makes the core
    unchecked. The note says that a PLD has no effect if pmk does not see its address."""
    base, new = build(), build(more="pld [r9]")
    argv = ("-e", "cycles", "--core", "arm1176", "--set", "mem.latency=77")
    contains(gate(*argv, base, base).out, "layouts\n\n cycles: unchecked\n")
    contains(gate(*argv, "--markdown", base, new).out, "layouts\n\n`cycles: unchecked`\n\n`note")
    document = json.loads(gate("-j", *argv, base, new).out)
    equal((document["checked"], document["notes"][0]), ("unchecked", "cycles: unchecked"))
    equal([n.split(": ")[0] for n in document["notes"][1:]], ["note (new)"])
    contains(document["notes"][1], "prefetch")


def test_programs_that_cannot_be_compared():
    base = build()
    for argv, code, line in (
            ((base,), 129, "gate compares two programs"),
            (("--limit", "cycles=30", base, base), 129, "gate limits growth"),
            (("--limit", "work/cycles=3%", base, base), 129, "gate limits growth"),
            (("--layouts", "0", base, base), 129, "--layouts: '0' is not a number from 1 to 64"),
            (("-j", "--markdown", base, base), 129, "exclude each other"),
            ((base, "/nosuch"), 127, "/nosuch"),
            ((base, build(flags=["-march=armv7-a"])), 129,
             " on cortex-a7; choose one core with --core"),
            ((base, build(code=3)), 125, "ended with 3"),
            ((base, build(stack=EXEC)), 125,
             "was not counted to its end: 1 process called execve")):
        contains(gate(*argv, code=code).err, line)


def test_nothing_is_left_behind(tmp_path):
    out = pmk("gate", build(), build(code=3), env={**os.environ, "TMPDIR": str(tmp_path)})
    equal((out.code, os.listdir(tmp_path)), (125, []), str(out))
    out = pmk("gate", build(), build(), env={**os.environ, "TMPDIR": str(tmp_path / "no")})
    equal(out.code, 125, str(out))
    contains(out.err, f"cannot make the folder {tmp_path}/no/pmk-gate.")
