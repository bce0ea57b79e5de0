#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh [--probe] GROUP... - see that the tools of these groups are here; what is missing is installed by
# apt-get, as root or through `sudo -n`, but not with --probe. Groups: test (make check), quick, lint, bench and fresh
# (the targets of these names), the others of the table below (each of the target that probes for it), all.
# A compiler called cc (gcc), make and git are taken for granted.
#
# Exit status: 0 all is here; 64 no such group; 69 something is missing (--probe) or there is no apt-get;
# 77 we may not install; 1 apt-get failed; a package that the system's suite has not is named.
set -u

# group package probe: the package is there if the command (or shell test) succeeds.
table() {
    cat <<'END'
test check                    pkg-config --exists check
test pkg-config               command -v pkg-config
test redis-server             command -v redis-server
test openssl                  command -v openssl
test redis-tools              command -v redis-cli
test sqlite3                  command -v sqlite3
test clang                    command -v clang
test libhiredis-dev           pkg-config --exists hiredis
test gcc-arm-none-eabi        command -v arm-none-eabi-gcc
test libnewlib-arm-none-eabi  echo '#include <string.h>' | arm-none-eabi-gcc -E -
test bash-completion          test -e /usr/share/bash-completion/bash_completion
test zsh                      command -v zsh
test fish                     command -v fish
test bsdutils                 command -v script
test libuv1-dev               pkg-config --exists libuv
test liburing-dev             pkg-config --exists liburing
test liblwip-dev              pkg-config --exists lwip
test libslirp-dev             echo '#include <slirp/libslirp.h>' | cc -E -
test libssl-dev               pkg-config --exists openssl
test libmbedtls-dev           echo '#include <mbedtls/ssl.h>' | cc -E -
quick check                   pkg-config --exists check
quick pkg-config              command -v pkg-config
quick clang                   command -v clang
quick gcc-arm-none-eabi       command -v arm-none-eabi-gcc
quick libnewlib-arm-none-eabi echo '#include <string.h>' | arm-none-eabi-gcc -E -
quick libhiredis-dev          pkg-config --exists hiredis
quick shellcheck              command -v shellcheck
quick clang-format            command -v clang-format
lint check                    pkg-config --exists check
lint pkg-config               command -v pkg-config
lint libhiredis-dev           pkg-config --exists hiredis
lint libuv1-dev               pkg-config --exists libuv
lint liburing-dev             pkg-config --exists liburing
lint liblwip-dev              pkg-config --exists lwip
lint libslirp-dev             echo '#include <slirp/libslirp.h>' | cc -E -
lint libssl-dev               pkg-config --exists openssl
lint libmbedtls-dev           echo '#include <mbedtls/ssl.h>' | cc -E -
lint clang                    command -v clang
lint clang-tidy               command -v clang-tidy
lint cppcheck                 command -v cppcheck
lint shellcheck               command -v shellcheck
lint mandoc                   command -v mandoc
lint clang-format             command -v clang-format
fuzz pkg-config               command -v pkg-config
fuzz clang                    command -v clang
fuzz libhiredis-dev           pkg-config --exists hiredis
fuzz afl++                    command -v afl-fuzz
proof frama-c-base            command -v frama-c
proof why3                    command -v why3
proof cvc4                    command -v cvc4
model spin                    command -v spin
cover check                   pkg-config --exists check
cover pkg-config              command -v pkg-config
cover clang-19                command -v clang-19
cover llvm-19                 command -v llvm-cov-19
cover libclang-rt-19-dev      echo 'int main(void) { return 0; }' | clang-19 -fprofile-instr-generate -x c -o /dev/null -
live mmdebstrap               command -v mmdebstrap
live tshark                   command -v tshark
cross mmdebstrap               command -v mmdebstrap
cross qemu-user                command -v qemu-s390x
cross gcc-arm-linux-gnueabihf  command -v arm-linux-gnueabihf-gcc
cross gcc-i686-linux-gnu       command -v i686-linux-gnu-gcc
cross gcc-s390x-linux-gnu      command -v s390x-linux-gnu-gcc
cross gcc-riscv64-linux-gnu    command -v riscv64-linux-gnu-gcc
cross musl-tools               command -v musl-gcc
dist cmake                     command -v cmake
dist meson                     command -v meson
dist pkg-config                command -v pkg-config
dist debhelper                 command -v dh
dist lintian                   command -v lintian
dist jq                        command -v jq
dist yq                        command -v yq
dist python3-kconfiglib        /usr/bin/python3 -c 'import kconfiglib'
targets gcc-arm-none-eabi      command -v arm-none-eabi-gcc
targets libnewlib-arm-none-eabi echo '#include <string.h>' | arm-none-eabi-gcc -E -
targets qemu-system-arm        command -v qemu-system-arm
targets qemu-system-misc       command -v qemu-system-riscv32
targets gcc-riscv64-unknown-elf command -v riscv64-unknown-elf-gcc
targets picolibc-riscv64-unknown-elf echo '#include <string.h>' | riscv64-unknown-elf-gcc --specs=picolibc.specs -E -
targets gcc-avr                command -v avr-gcc
targets avr-libc               echo '#include <avr/io.h>' | avr-gcc -mmcu=atmega1284p -E -
targets simavr                 command -v simavr
pkg check                     pkg-config --exists check
pkg pkg-config                command -v pkg-config
pkg clang                     command -v clang
pkg gcc-arm-none-eabi         command -v arm-none-eabi-gcc
pkg libnewlib-arm-none-eabi   echo '#include <string.h>' | arm-none-eabi-gcc -E -
pkg abigail-tools             command -v abidiff
pkg busybox-static            command -v busybox
pkg musl-tools                command -v musl-gcc
pkg cmake                     command -v cmake
pkg meson                     command -v meson
pkg ninja-build               command -v ninja
bench pkg-config              command -v pkg-config
bench libhiredis-dev          pkg-config --exists hiredis
bench valgrind                command -v valgrind
fresh mmdebstrap              command -v mmdebstrap
arm gcc-arm-none-eabi         command -v arm-none-eabi-gcc
arm gcc-riscv64-unknown-elf   command -v riscv64-unknown-elf-gcc
arm qemu-system-arm           command -v qemu-system-arm
arm qemu-system-misc          command -v qemu-system-riscv32
arm redis-server              command -v redis-server
END
}

# The terminal tests of `make check` need a pseudo-terminal: no package brings that.
case " $* " in
*" test "* | *' all '*)
    # Every devpts has this node; the directory alone is none.
    if ! [ -e /dev/ptmx ] || ! [ -e /dev/pts/ptmx ]; then
        echo "no /dev/pts here, and the tests of the command open a terminal: mount devpts on it, as root:" >&2
        echo "mkdir -p /dev/pts && mount -t devpts devpts /dev/pts && ln -sf pts/ptmx /dev/ptmx" >&2
        exit 69
    fi
    ;;
esac

probe_only=
if [ "${1-}" = --probe ]; then
    probe_only=1
    shift
fi

for group; do
    [ "$group" = all ] || table | grep -q "^$group " || { echo "no group $group" >&2; exit 64; }
done
missing=
while read -r group package probe; do
    case " $* " in *" $group "* | *' all '*) ;; *) continue ;; esac
    (eval "$probe") >/dev/null 2>&1 </dev/null && continue
    # Several groups may want it.
    case "$missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done <<END
$(table)
END
[ -n "$missing" ] || exit 0

command="apt-get install --no-install-recommends$missing"
if [ -n "$probe_only" ]; then
    echo "missing:$missing" >&2
    echo "\`make deps DEPS='$*'\` installs it, or as root: $command" >&2
    exit 69
fi
if ! command -v apt-get >/dev/null; then
    echo "missing (names of Debian packages):$missing" >&2
    echo "there is no apt-get here: install them by your system's means" >&2
    exit 69
fi
if [ "$(id -u)" -eq 0 ]; then
    root='env'
elif sudo -n true 2>/dev/null; then
    root='sudo -n env'
else
    echo "missing:$missing" >&2
    echo "installing needs root; run: sudo $command" >&2
    exit 77
fi
# RUNLEVEL=1: a container without an init system shall not start the packages' services.
apt="$root DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -o DPkg::Lock::Timeout=600 \
    -o Acquire::Retries=3"
echo "installing:$missing"
# shellcheck disable=SC2086 # words on purpose
$apt update && $apt install -y --no-install-recommends $missing && exit 0

# What apt said of it may stand many lines above: a suite need not have every package that another one has.
for package in $missing; do
    apt-get -s -q install --no-install-recommends "$package" >/dev/null 2>&1 ||
        echo "deps.sh: apt-get cannot install $package here: has your suite a package of that name?" >&2
done
exit 1
