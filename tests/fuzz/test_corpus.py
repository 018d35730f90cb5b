# SPDX-License-Identifier: MIT
"""Each fuzz target accepts the inputs from which its fuzzing begins."""
from harness import *

pytestmark = pytest.mark.quick


def listed():
    """Returns {target: command} of the targets that have stored inputs."""
    with open(os.path.join(BUILD, "meson-info", "intro-tests.json")) as f:
        return {t["name"].partition("/")[2]: t["cmd"] for t in json.load(f)
                if t["name"].startswith("fuzz/")}


@pytest.mark.parametrize("target", listed())
def test_stored_inputs_are_accepted(target, tmp_path):
    out = run(*listed()[target], cwd=tmp_path)
    equal(out.code, 0, str(out))


@lab
def test_every_target_and_every_folder_is_used():
    """Meson builds every target. Every folder of stored inputs, and every line of `floors`, belongs
    to a target."""
    folder = os.path.join(SOURCE, "tests/fuzz")
    targets = {re.fullmatch(r"fuzz_(\w+)\.c", name)[1] for name in os.listdir(folder)
               if name.startswith("fuzz_")}
    with open(os.path.join(BUILD, "meson-info", "intro-targets.json")) as f:
        built = {target["name"].removeprefix("fuzz_") for target in json.load(f)
                 if target["name"].startswith("fuzz_")}
    equal(targets - built, set())
    equal(set(os.listdir(os.path.join(folder, "corpus"))), set(listed()))
    equal({line.split()[0] for line in open(os.path.join(folder, "floors"))
           if not line.startswith("#")} - targets, set())
