# SPDX-License-Identifier: MIT
SUMMARY = "Distributed locks over Redis and Valkey"
DESCRIPTION = "A C99 library that needs only libc, and redlock, a command like flock that works across machines."
HOMEPAGE = "@URL@"
SECTION = "libs"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=@LICENSE_MD5@"

SRC_URI = " \
    git://@GIT@;protocol=https;branch=main;tag=v${PV} \
    file://run-ptest \
    "
SRCREV = "@COMMIT@"

inherit ptest

EXTRA_OEMAKE = "CC='${CC}' CFLAGS='${CFLAGS}' CPPFLAGS='${CPPFLAGS}' LDFLAGS='${LDFLAGS}'"

do_compile() {
    oe_runmake lib build/redlock
}

do_install() {
    oe_runmake install-lib DESTDIR=${D} PREFIX=${prefix} LIBDIR=${libdir}
    install -d ${D}${bindir} ${D}${mandir}/man1
    install -m 0755 build/redlock ${D}${bindir}/redlock
    install -m 0644 redlock/cli/redlock.1 ${D}${mandir}/man1/redlock.1
}

PACKAGES =+ "redlock"
FILES:redlock = "${bindir}/redlock"

RDEPENDS:${PN}-ptest = "redlock virtual-redis"
