#!/bin/bash
# SPDX-License-Identifier: MIT
# suites.sh BUILD [MACHINE...] - the test suites that need no server and start no program, on other machines than
# this one: arm, i686, s390x, riscv64. Check comes from a package of that machine's, which is unpacked below
# BUILD/cross and not installed; from where the system's own packages come.
# SUITES_SRC: their sources, from make.
#
# Exit status 1: a suite failed, or could not be built.
#
# Lists are split into words on purpose:
# shellcheck disable=SC2086
set -u
build=$1
shift
[ $# -gt 0 ] || set -- arm i686 s390x riscv64
out=$PWD/$build/cross
failed=0
mkdir -p "$out"
site=$(tests/house/site.sh) || exit
tests/house/site.sh --apt >"$out/apt.conf"

# Debian's name of the machine, its release: Check's library for it
check_of() {
    rm -rf "$out/root-$1"
    mmdebstrap --variant=extract --aptopt="$out/apt.conf" --architectures="$1" --include=check "$2" "$out/root-$1" \
        "$site" >"$out/$1.log" 2>&1 && return
    tail -n 3 "$out/$1.log" >&2
    return 1
}

# RUN COMPILER TRIPLET ARCHITECTURE RELEASE [FLAG...]: RUN is the command that runs its programs, empty for this machine
suites() {
    local run=$1 dir=$out/suites-$4 root=$out/root-$4 libraries began=$SECONDS
    check_of "$4" "$5" || return
    rm -rf "$dir"
    mkdir -p "$dir/tests" || return
    grep '^SUITE(' tests/suites.inc | grep -v '(servers,' >"$dir/tests/suites.inc" # found before the one of the tree
    # An object is called after the path of its source: two folders may have a file of the same name.
    # shellcheck disable=SC2016 # that shell expands it
    printf '%s\n' $SUITES_SRC | xargs -P "$(nproc)" -I '{}' sh -c 'source=$1 dir=$2 && shift 2 &&
        "$@" -o "$dir/$(echo "$source" | tr / -).o" "$source"' sh '{}' "$dir" \
        "$2" -std=c99 -O1 -w -I"$dir" -I. -idirafter "$root/usr/include" -c || return
    libraries=$(find "$root/usr/lib/$3" -name 'libcheck.a' -o -name 'libsubunit.a')
    "$2" -static -o "$dir/check" "$dir"/*.o $libraries -lm -lrt -lpthread "${@:6}" || return
    $run "$dir/check" -j "$(nproc)" -r "$dir/result" >"$dir/log" || {
        sed -n '/ of [0-9]* failed:$/,$p' "$dir/log"
        return 1
    }
    echo "cross: suites on $4: $(awk '{ print $1 " passed, " $2 " failed" }' "$dir/result") ($((SECONDS - began)) s)"
}

on_arm() {
    suites qemu-arm arm-linux-gnueabihf-gcc arm-linux-gnueabihf armhf bookworm
}
on_i686() {
    local run
    run=$(tests/cross/runs_i686.sh "$out") || return
    suites "$run" i686-linux-gnu-gcc i386-linux-gnu i386 bookworm || return
    echo "cross: i686 programs were run by ${run:-this host}"
}
on_s390x() {
    suites qemu-s390x s390x-linux-gnu-gcc s390x-linux-gnu s390x bookworm
}
on_riscv64() { # there since trixie, whose C library has this name for it
    suites qemu-riscv64 riscv64-linux-gnu-gcc riscv64-linux-gnu riscv64 trixie -Wl,--defsym=__isoc23_strtoul=strtoul
}

for machine; do
    "on_$machine" || {
        echo "cross: FAILED: suites on $machine"
        failed=1
    }
done
[ "$failed" = 0 ]
