# SPDX-License-Identifier: MIT
# A thin front for Meson, so that two words do everything:
#
#   make demo      install what is needed (Debian), build, count a real ARM program
#   make check     install what the tests need, build, run every test; WORDS='-m "not once"' are pytest's
#   make test      the same with the quick ones, and fewer packages: unit tests, conformance vectors, documents
#   make nightly   make check with large samples where tests draw some, then every fuzzer for FUZZ_SECONDS
#   make           build/pmk, runs from the build tree
#   make target    the library for firmware: build/target; TARGETS=armv6 builds that one alone
#   make python    the package for Python: a wheel and a source distribution in build/python
#   make docs      the documents as a site, to be read without a server: build/site/index.html
#   make qemu      emulators that can load plugins, where the distribution's cannot (Debian 13); once, some minutes;
#                  demo and check do it by themselves
#   make microblaze-toolchain   a compiler for MicroBlaze; once, some minutes
#   make microblaze-programs    with it, the programs that the tests count, stored anew after a change
#   make fresh     make demo and make check on a minimal Debian that is made for it; DISTRO=trixie
#   make dist      the release as build/dist/pmukit-VERSION.tar.gz, of what is committed: the same bytes every time
#   make install   below prefix=/usr/local, or as if it were in DESTDIR; make uninstall
#   make bench fuzz clean

BUILD ?= build
prefix ?= /usr/local

# Meson's options of a build tree that is made. STRICT=1: a warning is an error.
SETUP = $(if $(STRICT),-Dwarning_level=3 -Dwerror=true)

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@scripts/need build
	meson setup $(SETUP) $(BUILD)

demo:
	@scripts/need build run
	@$(MAKE) --no-print-directory all
	@scripts/demo $(BUILD)

check: STRICT = 1
check:
	@scripts/need build run test
	@UNSTABLE=2 SETUP="$(SETUP)" scripts/test $(BUILD) $(WORDS)

test:
	@scripts/need build run quick
	@SETUP="$(SETUP)" scripts/test $(BUILD) -m "quick and not more"

nightly:
	@PMK_TEST_SIZE=large $(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory fuzz

target:
	@scripts/target $(BUILD) $(TARGETS)

# With Debian's python3, which has the modules: the one in PATH may be another.
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

# All, whether or not the first ones meet their targets.
bench: all
	@scripts/need build run test bench
	@missed=0; for b in firmware truth wave page access run record sample peers; do bench/$$b $(BUILD) || missed=1; done; \
		exit $$missed

fuzz:
	@scripts/need build test fuzz
	@tests/fuzz/run

fresh:
	@scripts/fresh $(DISTRO)

# pmk finds its files from where it lies: they stay together.
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
	rm -rf $(BUILD) build-*

.PHONY: all demo check test nightly target python docs qemu microblaze-toolchain microblaze-programs bench fuzz fresh dist
.PHONY: install uninstall clean
