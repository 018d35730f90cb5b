# SPDX-License-Identifier: MIT
"""Tests the action for GitHub and the component for GitLab. The tests take the steps from their
YAML files, and run them in a repository with one commit that is slower, and one that only moves
code."""
import shutil

from harness import *

PROGRAM = """
	.arm
	.global	_start
_start:	b	2f
PAD
2:	mov	r4, #TURNS
1:	subs	r4, r4, #1
	bne	1b
	mov	r0, #0
	mov	r7, #1
	svc	#0
"""
BUILD_COMMAND = f"{CROSS}gcc -march=armv6k -nostdlib -static -o 'the prog' prog.S"


def git(folder, *argv):
    out = run("git", "-c", "user.name=test", "-c", "user.email=test@example.org", *argv, cwd=folder)
    equal(out.code, 0, str(out))
    return out.out.strip()


def commit(folder, turns, pad):
    (folder / "prog.S").write_text(PROGRAM.replace("TURNS", str(turns))
                                   .replace("PAD", "\tnop\n" * pad))
    git(folder, "add", "prog.S")
    git(folder, "commit", "-q", "-m", f"{turns} turns")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    """Makes a Git repository. Returns (folder, base commit, commit that only moves code, slower
    commit)."""
    have("git", "qemu-arm", CROSS + "gcc")
    folder = tmp_path / "work tree"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder, commit(folder, 100, 0), commit(folder, 100, 9), commit(folder, 103, 9)


def environment(tmp_path, **more):
    return {**os.environ, "PATH": BUILD + ":" + os.environ["PATH"],
            "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
            "GITHUB_PATH": str(tmp_path / "path"), **more}


def read(name):
    import yaml  # installed with Debian's mkdocs

    with open(os.path.join(SOURCE, name)) as f:
        return list(yaml.safe_load_all(f))


# ---- GitHub --------------------------------------------------------------------------------------

def action(folder, tmp_path, base, first=1, **inputs):
    """Runs the steps as a runner does: with bash -e, and with expressions only in `env`."""
    (document,) = read("action.yml")
    equal(document["runs"]["using"], "composite")
    unknown = set(inputs) - set(document["inputs"])
    equal(unknown, set())
    value = {name: i.get("default") for name, i in document["inputs"].items()}
    value.update(inputs, base=base)
    for step in document["runs"]["steps"][first:]:
        equal(("${{" in step["run"], step["shell"]), (False, "bash"), step["name"])
        env = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: value[m[1]], text)
               .replace("${{ github.action_path }}", str(tmp_path / "source"))
               for name, text in step["env"].items()}
        assert not any("${{" in text for text in env.values()), env
        out = run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=folder,
                  env=environment(tmp_path, **env))
        if out.code:
            break
    return out, step["name"]


def test_the_action_passes_over_a_move_and_finds_a_slow_down(repository, tmp_path):
    folder, base, moved, slower = repository
    inputs = {"program": "the prog", "build": BUILD_COMMAND, "arguments": "'two words' more"}
    git(folder, "checkout", "-q", moved)
    out, _ = action(folder, tmp_path, base, **inputs)
    equal(out.code, 0, str(out))
    contains((tmp_path / "summary").read_text(), "No work is over its limit.")
    shutil.rmtree(tmp_path / "pmk-base")
    git(folder, "checkout", "-q", slower)
    out, step = action(folder, tmp_path, base, **inputs)
    equal((out.code, step), (1, "Compare their work"), str(out))
    contains(out.err, "pmk: cycles: the work has grown by ")
    contains((tmp_path / "summary").read_text(), "**The work of 2 events is over its limit.**")
    contains((tmp_path / "summary").read_text(), "in 2 layouts")


def test_the_action_fails_if_the_build_does(repository, tmp_path):
    folder, base, *_ = repository
    out, step = action(folder, tmp_path, base, program="prog", build="echo broken >&2; exit 3")
    equal((out.code, step), (3, "Build both sides"), str(out))
    out, step = action(folder, tmp_path / "..", "0" * 40, program="prog", build="true")
    equal((out.code != 0, step), (True, "Build both sides"), str(out))


def test_the_action_installs_pmk(tmp_path):
    """The action installs pmk with the repository's script and Makefile, for which stand-ins are
    used here."""
    (source := tmp_path / "source" / "scripts").mkdir(parents=True)
    (source / "need").write_text('#!/bin/sh\necho "$@" >"$RUNNER_TEMP/needed"\n')
    (source / "need").chmod(0o755)
    (tmp_path / "source" / "Makefile").write_text("install:\n\t$(info $(prefix))\n")
    (document,) = read("action.yml")
    step = document["runs"]["steps"][0]
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("make", "sh", "bash"):
        (tools / name).symlink_to(shutil.which(name))
    out = run("bash", "-e", "-c", step["run"],
              env={**environment(tmp_path, PMK_SOURCE=str(tmp_path / "source")),
                   "PATH": str(tools)})
    equal(out.code, 0, str(out))
    equal((tmp_path / "needed").read_text(), "build run\n")
    contains(out.out, f"{tmp_path}/pmk\n")
    equal((tmp_path / "path").read_text(), f"{tmp_path}/pmk/bin\n")


# ---- GitLab --------------------------------------------------------------------------------------

def component(folder, tmp_path, base, **inputs):
    spec, jobs = read("templates/gate.yml")
    value = {name: i.get("default") for name, i in spec["spec"]["inputs"].items()}
    value.update(inputs)
    (job,) = jobs.values()

    def fill(text):
        return re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda m: value[m[1]], str(text)).replace(
            "/tmp/pmk-base", str(tmp_path / "pmk-base"))

    env = {name: fill(text) for name, text in job["variables"].items()}
    script = [fill(line) for line in job["script"]]
    assert not any("$[[" in line for line in [*script, *env.values()])
    return run("bash", "-eo", "pipefail", "-c", "\n".join(script), cwd=folder,
               env=environment(tmp_path, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, **env))


def test_the_component(repository, tmp_path):
    folder, base, moved, slower = repository
    inputs = {"program": "the prog", "build": BUILD_COMMAND, "arguments": "'two words' more"}
    git(folder, "checkout", "-q", moved)
    out = component(folder, tmp_path, base, **inputs)
    equal(out.code, 0, str(out))
    contains((folder / "gate.md").read_text(), "No work is over its limit.")
    shutil.rmtree(tmp_path / "pmk-base")
    git(folder, "checkout", "-q", slower)
    out = component(folder, tmp_path, base, **inputs)
    equal(out.code, 1, str(out))
    contains((folder / "gate.md").read_text(), "**The work of 2 events is over its limit.**")


# ---- the page ------------------------------------------------------------------------------------

def test_the_page_names_only_inputs_that_exist():
    import yaml

    with open(os.path.join(SOURCE, "docs/ci.md")) as f:
        github, gitlab = re.findall(r"```yaml\n(.*?)```", f.read(), re.S)
    (step,) = (s for s in yaml.safe_load(github)["jobs"]["counts"]["steps"] if "with" in s
               and "program" in s["with"])
    (document,) = read("action.yml")
    equal(set(step["with"]) - set(document["inputs"]), set())
    (include,) = yaml.safe_load(gitlab)["include"]
    spec, _ = read("templates/gate.yml")
    equal(set(include["inputs"]) - set(spec["spec"]["inputs"]), set())
