#!/bin/sh
# SPDX-License-Identifier: MIT
# deps.sh [--probe] GROUP... - install the packages of these groups that are missing, with apt-get, as root or through
# `sudo -n`. --probe only checks. deps.sh --packages GROUP... prints the groups' packages.
# Groups: those below, or all. A compiler called cc (gcc), make and git are taken for granted.
#
# Exit status: 0 nothing is missing; 64 no such group; 69 something is missing (--probe) or there is no apt-get;
# 75 the system's Debian has no package of that name, which is printed; 77 we may not install; 1 apt-get failed.
#
# Lists are split into words on purpose:
# shellcheck disable=SC2046,SC2086
set -u

# GROUP PACKAGE...: what a target needs; the Makefile says which groups (NEEDS_TARGET).
groups() {
    cat <<'END'
test check pkg-config redis-server redis-tools openssl sqlite3 jq clang libclang-rt-dev g++ libhiredis-dev
test gcc-arm-none-eabi libnewlib-arm-none-eabi bash-completion zsh fish bsdutils
test libuv1-dev liburing-dev liblwip-dev libslirp-dev libssl-dev libmbedtls-dev
quick check pkg-config clang gcc-arm-none-eabi libnewlib-arm-none-eabi libhiredis-dev shellcheck clang-format-14|clang-format
lint check pkg-config libhiredis-dev libuv1-dev liburing-dev liblwip-dev libslirp-dev libssl-dev libmbedtls-dev
lint clang clang-tidy-14 cppcheck shellcheck mandoc clang-format-14 pyflakes3
fuzz pkg-config clang libclang-rt-dev libhiredis-dev afl++
service zip g++
proof frama-c-base why3 cvc4
model spin
cover check pkg-config clang-19 llvm-19 libclang-rt-19-dev
live mmdebstrap
peers redis-server nodejs npm ca-certificates python3-redis
peers-short redis-server python3-redis
wire redis-server redis-tools tshark
prometheus prometheus
recipes redis-server ansible-core systemd
proxies redis-server nutcracker haproxy
cross qemu-user gcc-powerpc-linux-gnu libc6-dev-powerpc-cross
machines mmdebstrap qemu-user musl-tools gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-i686-linux-gnu libc6-dev-i386-cross
machines gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
dist cmake meson pkg-config build-essential debhelper lintian jq yq python3-kconfiglib
release gpg gpg-agent reuse
trees rpm makepkg libarchive-tools fakeroot musl-tools gcc-arm-linux-gnueabihf libc6-dev-armhf-cross qemu-user
trees cmake ninja-build python3-kconfiglib redis-server
targets gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm qemu-system-riscv|qemu-system-misc
targets gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf gcc-avr avr-libc simavr
arm gcc-arm-none-eabi gcc-riscv64-unknown-elf qemu-system-arm qemu-system-riscv|qemu-system-misc redis-server redis-tools
pkg check pkg-config clang gcc-arm-none-eabi libnewlib-arm-none-eabi abigail-tools busybox-static musl-tools
pkg cmake meson ninja-build
bench pkg-config libhiredis-dev valgrind redis-server strace python3
bench-peers python3-redis nodejs npm
docs doxygen
fresh mmdebstrap
END
}

# PACKAGE PROBE: it is there if the command succeeds, which uses it as the targets do. Of PACKAGE|OTHER the first that
# the system's Debian has is installed.
probes() {
    cat <<'END'
check                        links cc -include check.h $(pkg-config --cflags --libs check)
pkg-config                   pkg-config --version
redis-server                 redis-server --version
redis-tools                  redis-cli --version
openssl                      openssl version
sqlite3                      sqlite3 --version
jq                           jq --version
clang                        links clang
g++                          links g++
libclang-rt-dev              links clang -fsanitize=address,undefined
clang-19                     links clang-19
llvm-19                      llvm-cov-19 --version
libclang-rt-19-dev           links clang-19 -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc
libhiredis-dev               links cc -include hiredis/hiredis.h -lhiredis
libuv1-dev                   links cc -include uv.h -luv
liburing-dev                 links cc -include liburing.h -luring
liblwip-dev                  links cc -include lwip/tcp.h $(pkg-config --cflags --libs lwip)
libslirp-dev                 links cc -include slirp/libslirp.h -lslirp
libssl-dev                   links cc -include openssl/ssl.h -lssl -lcrypto
libmbedtls-dev               links cc -include mbedtls/ssl.h -lmbedtls -lmbedx509 -lmbedcrypto
bash-completion              test -e /usr/share/bash-completion/bash_completion
zsh                          zsh --version
fish                         fish --version
bsdutils                     script --version
clang-tidy-14                clang-tidy-14 --version
clang-format-14              clang-format-14 --version
clang-format-14|clang-format clang-format-14 --version || clang-format --version
cppcheck                     cppcheck --version
shellcheck                   shellcheck --version
mandoc                       command -v mandoc
afl++                        links afl-clang-fast -fsanitize=address,undefined
frama-c-base                 frama-c -version
why3                         why3 --version
cvc4                         cvc4 --version
spin                         spin -V
valgrind                     valgrind true
strace                       strace true
python3                      /usr/bin/python3 --version
python3-redis                /usr/bin/python3 -c 'import redis'
nodejs                       node --version
npm                          npm --version
pyflakes3                    pyflakes3 --version
doxygen                      doxygen --version
mmdebstrap                   mmdebstrap --version
tshark                       tshark --version
prometheus                   promtool --version
ansible-core                 ansible-playbook --version
systemd                      systemd-analyze --version
nutcracker                   nutcracker --version
haproxy                      haproxy -v
qemu-user                    qemu-s390x --version
qemu-system-arm              qemu-system-arm --version
qemu-system-riscv|qemu-system-misc qemu-system-riscv32 --version
musl-tools                   links musl-gcc -static
gcc-powerpc-linux-gnu        links_bare powerpc-linux-gnu-gcc
libc6-dev-powerpc-cross      links powerpc-linux-gnu-gcc -static
gcc-arm-linux-gnueabihf      links_bare arm-linux-gnueabihf-gcc
libc6-dev-armhf-cross        links arm-linux-gnueabihf-gcc -static
gcc-i686-linux-gnu           links_bare i686-linux-gnu-gcc
libc6-dev-i386-cross         links i686-linux-gnu-gcc -static
gcc-s390x-linux-gnu          links_bare s390x-linux-gnu-gcc
libc6-dev-s390x-cross        links s390x-linux-gnu-gcc -static
gcc-riscv64-linux-gnu        links_bare riscv64-linux-gnu-gcc
libc6-dev-riscv64-cross      links riscv64-linux-gnu-gcc -static
gcc-arm-none-eabi            links_bare arm-none-eabi-gcc
libnewlib-arm-none-eabi      links arm-none-eabi-gcc --specs=nano.specs --specs=rdimon.specs
gcc-riscv64-unknown-elf      links_bare riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32
picolibc-riscv64-unknown-elf links riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 --specs=picolibc.specs --crt0=semihost --oslib=semihost
gcc-avr                      avr-gcc --version
avr-libc                     links avr-gcc -mmcu=atmega1284p -include avr/io.h
simavr                       command -v simavr
cmake                        cmake --version
meson                        meson --version
ninja-build                  ninja --version
gpg                          gpg --version
gpg-agent                    gpg-agent --version
reuse                        reuse --version
rpm                          rpmbuild --version
makepkg                      makepkg --version
libarchive-tools             bsdtar --version
fakeroot                     fakeroot true
zip                          zip --version
build-essential              dpkg -s build-essential
debhelper                    command -v dh
lintian                      lintian --version
yq                           yq --version
ca-certificates              test -e /etc/ssl/certs/ca-certificates.crt
python3-kconfiglib           /usr/bin/python3 -c 'import kconfiglib'
abigail-tools                abidiff --version
busybox-static               busybox true
END
}

# COMPILER [FLAG...]: it compiles and links a program that uses its C library (links), or none (links_bare).
# shellcheck disable=SC2317 # the probes call them
links() {
    compiler=$1
    shift
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$scratch/probe.c"
    "$compiler" -o "$scratch/probe" "$scratch/probe.c" "$@"
}
# shellcheck disable=SC2317
links_bare() {
    compiler=$1
    shift
    printf 'int main(void) { return 0; }\n' >"$scratch/probe.c"
    "$compiler" -nostdlib -ffreestanding -Wl,-e,main -o "$scratch/probe" "$scratch/probe.c" "$@" -lgcc
}

mode=install
case ${1-} in
--probe | --packages)
    mode=${1#--}
    shift
    ;;
esac
for group; do
    [ "$group" = all ] || groups | grep -q "^$group " || { echo "deps.sh: no group $group" >&2; exit 64; }
done

packages=$(groups | while read -r group names; do
    case " $* " in *" $group "* | *' all '*) printf '%s\n' $names ;; esac
done | awk '!seen[$0]++')
if [ "$mode" = packages ]; then
    echo "$packages"
    exit
fi

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

scratch=$(mktemp -d) || exit 69
trap 'rm -rf "$scratch"' EXIT
is_there() { # PACKAGE
    probe=$(probes | awk -v package="$1" '$1 == package { $1 = ""; print }')
    [ -n "$probe" ] || { echo "deps.sh: $1 has no probe" >&2; return 1; }
    (eval "$probe") >/dev/null 2>&1 </dev/null
}
missing=
for package in $packages; do
    is_there "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$mode" = probe ]; then
    echo "missing:$missing" >&2
    echo "\`make deps DEPS='$*'\` installs what is missing" >&2
    exit 69
fi
if ! command -v apt-get >/dev/null; then
    echo "missing (names of Debian packages):$missing" >&2
    echo "there is no apt-get here: install them with your system's package manager" >&2
    exit 69
fi
if [ "$(id -u)" -eq 0 ]; then
    root='env'
elif sudo -n true 2>/dev/null; then
    root='sudo -n env'
else
    echo "missing:$missing" >&2
    echo "installing needs root; run: sudo make deps DEPS='$*'" >&2
    exit 77
fi
# RUNLEVEL=1: a container without an init system must not start the packages' services.
apt="$root DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -q -o DPkg::Lock::Timeout=600 \
    -o Acquire::Retries=3"
$apt update || exit 1

# One Debian release need not have every package that another one has.
chosen='' absent=''
for package in $missing; do
    name=
    for alternative in $(echo "$package" | tr '|' ' '); do
        [ -n "$name" ] || ! apt-cache show "$alternative" >/dev/null 2>&1 || name=$alternative
    done
    chosen="$chosen $name"
    [ -n "$name" ] || absent="$absent $package"
done
if [ -n "$absent" ]; then
    echo "deps.sh: this Debian has no package$absent" >&2
    exit 75
fi
echo "installing:$chosen"
$apt install -y --no-install-recommends $chosen || exit 1

# A package that is installed and still not enough is a mistake in the tables above.
for package in $missing; do
    is_there "$package" || { echo "deps.sh: $package is installed, and its probe still fails" >&2; exit 1; }
done
