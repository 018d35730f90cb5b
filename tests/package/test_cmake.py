# SPDX-License-Identifier: MIT
"""Other projects can build the library for firmware: with CMake's FetchContent, and as a module of
Zephyr. Stand-ins replace the commands of Zephyr that the module's CMake file calls."""
from harness import *

PROGRAM = """#include "pmk_target.h"

int begun(struct pmk_target *t)
{
	return pmk_target_start(t);
}
"""

FETCH = f"""cmake_minimum_required(VERSION 3.14)
project(firmware C)
include(FetchContent)
set(FETCHCONTENT_SOURCE_DIR_PMUKIT "{SOURCE}")
FetchContent_Declare(pmukit URL nowhere)
FetchContent_MakeAvailable(pmukit)
add_library(firmware STATIC firmware.c)
target_link_libraries(firmware PRIVATE pmk::target)
"""

ZEPHYR = f"""cmake_minimum_required(VERSION 3.20)
project(firmware C)
find_program(PYTHON_EXECUTABLE python3)
add_library(firmware STATIC firmware.c)
function(zephyr_include_directories)
  target_include_directories(firmware PRIVATE ${{ARGN}})
endfunction()
function(zephyr_library)
endfunction()
function(zephyr_library_sources)
  target_sources(firmware PRIVATE ${{ARGN}})
endfunction()
function(zephyr_compile_definitions)
  target_compile_definitions(firmware PRIVATE ${{ARGN}})
endfunction()
add_subdirectory("{SOURCE}/zephyr" module)
"""


def defines(folder, project, *settings):
    """Returns the names of the functions in the library that was built."""
    have("cmake", "nm", "cc")
    (folder / "CMakeLists.txt").write_text(project)
    (folder / "firmware.c").write_text(PROGRAM)
    for argv in (["-S", str(folder), "-B", str(folder / "build"), *settings],
                 ["--build", str(folder / "build")]):
        out = run("cmake", *argv)
        equal(out.code, 0, str(out))
    out = run("nm", "--defined-only", str(folder / "build" / "libfirmware.a"))
    return {line.split()[2] for line in out.out.splitlines() if " T " in line}


def test_fetch_content(tmp_path):
    assert {"begun", "pmk_target_open"} <= defines(tmp_path, FETCH)


def test_zephyr(tmp_path):
    assert {"begun", "pmk_target_open"} <= defines(tmp_path, ZEPHYR, "-DCONFIG_PMUKIT=y")


def test_zephyr_without(tmp_path):
    equal(defines(tmp_path, ZEPHYR), {"begun"})
