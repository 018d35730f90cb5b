# SPDX-License-Identifier: MIT
SUMMARY = "Performance counters of the processor that a program runs on"
DESCRIPTION = "The library for firmware of pmukit: a static library, and as two files for other compilers."
HOMEPAGE = "https://localhost.invalid/pmukit"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=4a5f0646b4ca96a5c3162e8b5a097eec"

# What `make dist` makes, beside this file in a folder files/, or from where releases are.
SRC_URI = "file://pmukit-${PV}.tar.gz"
# Since 5.1 sources are unpacked into a folder of their own; older releases do not have its name.
S = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}/pmukit-${PV}"
B = "${WORKDIR}/build"

DEPENDS = "python3-native"
inherit python3native

do_compile() {
	${PYTHON} ${S}/scripts/amalgamate ${B}
	${CC} ${CFLAGS} -std=gnu11 -ffreestanding -c ${B}/pmk_target.c -o ${B}/pmk_target.o
	rm -f ${B}/libpmk-target.a
	${AR} rcs ${B}/libpmk-target.a ${B}/pmk_target.o
}

do_install() {
	install -D -m 0644 ${B}/libpmk-target.a ${D}${libdir}/libpmk-target.a
	install -D -m 0644 ${B}/pmk_target.h ${D}${includedir}/pmk_target.h
	install -D -m 0644 ${B}/pmk_target.c ${D}${datadir}/pmk/pmk_target.c
}

# There is nothing for the image: all of it is for who builds programs.
ALLOW_EMPTY:${PN} = "1"
FILES:${PN}-dev += "${datadir}/pmk"
BBCLASSEXTEND = "native nativesdk"
