# SPDX-License-Identifier: MIT
# Shortcuts for Meson and the scripts:
#
#   make demo      install what is needed (Debian), build, count a real ARM program
#   make check     install what the tests need, build, run the tests; WORDS='-m "not once"' are pytest's
#   make test      the quick tests: unit tests, conformance vectors, documents; installs 0.3 GB, no emulator.
#                  They have a build tree of their own, build-quick: compiled without optimisation, for them alone
#   make nightly   every test with large samples and all its cases, then every fuzzer for FUZZ_SECONDS
#   make           build pmk; build/pmk runs without being installed
#   make target    the library for firmware: build/target; TARGETS=armv6 builds only that one
#   make python    the package for Python: a wheel and a source distribution in build/python
#   make docs      a site of the documents: build/site/index.html; needs no server
#   make qemu      build emulators that can load plugins if the distribution's cannot (Debian 13); once, half an hour;
#                  demo and check do this when needed
#   make microblaze-toolchain   build a compiler for MicroBlaze; once, some minutes
#   make microblaze-programs    build and store the MicroBlaze programs that the tests count
#   make fresh     make demo and make check in a new minimal Debian; DISTRO=trixie
#   make dist      build/dist/pmukit-VERSION.tar.gz from what is committed; reproducible
#   make install   install below prefix=/usr/local (staged in DESTDIR); make uninstall removes it
#   make bench fuzz clean

BUILD ?= build
prefix ?= /usr/local

# Meson's options for a new build tree. STRICT=1 turns warnings into errors.
SETUP = $(if $(STRICT),-Dwarning_level=3 -Dwerror=true)

all: $(BUILD)/build.ninja
	@scripts/ninja $(BUILD)

$(BUILD)/build.ninja:
	@scripts/need build
	meson setup $(SETUP) $(BUILD)

demo:
	@scripts/need build run
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

# Tests marked `ci` build other trees, run benchmarks or boot Linux. Only .ci/run and `make nightly` run them.
WORDS = -m "not ci"
check: STRICT = 1
check:
	@scripts/need build run test
	@UNSTABLE=2 SETUP="$(SETUP)" scripts/test $(BUILD) $(WORDS)

# Compiling takes a third of the time without optimisation, and the quick tests need no speed. BUILD stays as it is.
test: SETUP = -Doptimization=0 -Dplugin_lto=false
test:
	@scripts/need build quick
	@SETUP="$(SETUP)" scripts/test $(BUILD)-quick -rN -m "quick and not more"

nightly:
	@PMK_TEST_SIZE=large $(MAKE) --no-print-directory check WORDS=
	@$(MAKE) --no-print-directory fuzz

target:
	@scripts/need target || echo "going on with the compilers that are installed"
	@scripts/target $(BUILD) $(TARGETS)

# Debian's python3 has the modules; the python3 in PATH may be another one.
PYTHON ?= /usr/bin/python3
python:
	@scripts/need build python
	@mkdir -p $(BUILD)/python
	@$(PYTHON) -m build --no-isolation $(SETUP:%=-Csetup-args=%) --outdir $(BUILD)/python . >$(BUILD)/python/log 2>&1 || \
		{ tail -20 $(BUILD)/python/log; exit 1; }
	@ls $(BUILD)/python/pmukit-*

docs:
	@scripts/need site
	@scripts/site $(BUILD)

qemu:
	@scripts/qemu

microblaze-toolchain:
	@scripts/microblaze-toolchain

microblaze-programs:
	@scripts/need build run test
	@scripts/microblaze-toolchain
	@$(MAKE) --no-print-directory all
	@tests/guest/microblaze/store $(BUILD)

# Runs every benchmark, even if an earlier one misses its target.
bench: all
	@scripts/need build run test bench
	@missed=0; for b in firmware truth wave page access culprit gate run record sample peers; do bench/$$b $(BUILD) || missed=1; done; \
		exit $$missed

fuzz:
	@scripts/need build test fuzz
	@tests/fuzz/run

fresh:
	@scripts/fresh $(DISTRO)

# pmk finds its files relative to its own path, so all of them must be below one prefix.
KEPT := $(foreach d,exec_prefix bindir libdir libexecdir datarootdir datadir includedir mandir, \
	$(if $(filter command,$(firstword $(origin $d))),$d))
together = $(if $(strip $(KEPT)),$(error $(strip $(KEPT)) cannot be chosen: all is below prefix))

install:
	$(together)@scripts/need build docs
	@$(MAKE) --no-print-directory all
	@scripts/install $(BUILD) "$(prefix)" "$(DESTDIR)"

dist:
	@scripts/dist $(BUILD)/dist

uninstall:
	$(together)@scripts/install --uninstall "$(prefix)" "$(DESTDIR)"

clean:
	rm -rf $(BUILD) $(BUILD)-quick build-*

.PHONY: all demo check test nightly target python docs qemu microblaze-toolchain microblaze-programs bench fuzz fresh dist
.PHONY: install uninstall clean
