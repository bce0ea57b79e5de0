#!/bin/sh
# SPDX-License-Identifier: MIT
# cross.sh BUILD [STEP...] - the library on other machines than this one. BUILD/sim is this one's simulator: its
# hashes are the expected ones. Steps:
#
#   posix    the driver for sockets and the command use only POSIX.1-2008
#   powerpc  32 bits, the most significant byte first, under qemu
#   arm      32 bits, under qemu
#   i686     32 bits, under qemu where this host refuses such programs
#   s390x    64 bits, the most significant byte first, under qemu
#   riscv64  64 bits, under qemu
#   musl     another C library, linked statically and dynamically
#
# Each machine runs all scenarios, SEEDS schedules (200), and the corpora of the fuzz targets. Without steps it
# is posix and powerpc, which differs from this machine in both ways, and with ALL_MACHINES=1 all steps.
# Exit status 1: something differs, or fails. CORE_SRC, POSIX_SRC and CLI_SRC, the sources, are make's.
#
# Lists of files are split into words on purpose:
# shellcheck disable=SC2046,SC2086
set -u
build=$1
shift
[ $# -gt 0 ] || set -- posix powerpc ${ALL_MACHINES:+arm i686 s390x riscv64 musl}
out=$build/cross
top=$PWD
seeds=1:${SEEDS:-200}
failed=0
mkdir -p "$out"

simulator=$(find tests/sim -maxdepth 1 -name '*.c' ! -name 'check_*')

finding() {
    echo "cross: $*"
    failed=1
}

"$build/sim" "$seeds" roomy=1 hash=1 >"$out/hashes" || exit

# NAME RUN COMPILER...: RUN is the command that runs its programs, empty for this machine
machine() {
    name=$1 run=$2
    shift 2
    began=$(date +%s)
    dir=$out/$name
    rm -rf "$dir"
    mkdir -p "$dir"
    if ! (cd "$dir" && "$@" -std=c99 -O1 -w -I"$top" -c $(for file in $CORE_SRC redlock/cli/servers/commands.c $simulator; do echo "$top/$file"; done)); then
        finding "$name: it cannot be compiled"
        return
    fi
    "$@" -o "$dir/sim" "$dir"/*.o || finding "$name: the simulator cannot be linked"
    $run "$dir/sim" "$seeds" roomy=1 hash=1 >"$dir/hashes"
    differ=$(diff "$out/hashes" "$dir/hashes" | grep -c '^<')
    [ "$differ" = 0 ] || finding "$name: $differ of the schedules $seeds end otherwise"
    $run "$dir/sim" scenarios >"$dir/scenarios" || finding "$name: $(grep FAIL "$dir/scenarios")"
    rm "$dir/sim_main.o" # the rest is a library
    ar rcs "$dir/all.a" "$dir"/*.o
    inputs=0
    for target in parse roundtrip conn lock; do
        "$@" -std=c99 -O1 -w -I. -o "$dir/replay" fuzz/fuzz_$target.c fuzz/replay.c "$dir/all.a" ||
            finding "$name: fuzz_$target cannot be built"
        find fuzz/corpus/$target -type f | sort >"$dir/corpus"
        inputs=$((inputs + $(wc -l <"$dir/corpus")))
        xargs $run "$dir/replay" <"$dir/corpus" >"$dir/replay.log" 2>&1 ||
            finding "$name: fuzz_$target: $(tail -n 3 "$dir/replay.log")"
    done
    printf 'cross: %-12s %s, %s hashes, %s inputs replayed (%d s)\n' "$name" "$(tail -n 1 "$dir/scenarios")" \
        "$(wc -l <"$dir/hashes")" "$inputs" $(($(date +%s) - began))
}

# Every build has -std=c99, so a file gets only the POSIX that its own _POSIX_C_SOURCE asks for.
step_posix() {
    others=$(grep -n 'define _[A-Z]*_SOURCE' $POSIX_SRC $CLI_SRC | grep -v -e '_POSIX_C_SOURCE 200809L$' -e _DARWIN_C_SOURCE |
        grep -v -e '^net/net_uring.c:' -e '^net/net_posix_process.c:.*_DEFAULT_SOURCE') # for Linux alone
    [ -z "$others" ] || finding "more than POSIX is asked for: $others"
    echo "cross: posix        $(echo $POSIX_SRC $CLI_SRC | wc -w) files want POSIX.1-2008 alone"
}
step_powerpc() {
    machine powerpc qemu-ppc powerpc-linux-gnu-gcc -static
}
step_arm() {
    machine arm qemu-arm arm-linux-gnueabihf-gcc -static
}
step_i686() {
    run=$(tests/cross/runs_i686.sh "$out") || {
        finding 'i686: no program can be built'
        return
    }
    machine i686 "$run" i686-linux-gnu-gcc -static
    echo "cross: i686 programs were run by ${run:-this host}"
}
step_s390x() {
    machine s390x qemu-s390x s390x-linux-gnu-gcc -static
}
step_riscv64() {
    machine riscv64 qemu-riscv64 riscv64-linux-gnu-gcc -static
}
step_musl() {
    machine musl '' musl-gcc
    machine musl-static '' musl-gcc -static
}

for step; do
    "step_$step"
done
[ "$failed" = 0 ]
