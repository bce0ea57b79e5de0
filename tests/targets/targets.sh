#!/bin/sh
# SPDX-License-Identifier: MIT
# targets.sh [--update] BUILD - runs the images of targets.mk, under qemu and simavr. Cortex-M0 and AVR (16 KB of memory), M3, M4
# and RV32: all vectors and the bytes of a lock. SIMULATED (m4): the simulator's scenarios, and TARGET_SEEDS schedules (50),
# whose hashes must be those of this machine.
# Instructions are compared with figures.txt (compare.awk); --update writes them there, and runs nothing else.
# Exit status 1: something differs, or fails.
#
# Options are split into words on purpose:
# shellcheck disable=SC2086
set -u
update=
if [ "$1" = --update ]; then
    update=1
    shift
fi
build=$1
figures=$(dirname "$0")/figures.txt
out=$build/targets
seeds=1:${TARGET_SEEDS:-50}
failed=0

finding() {
    echo "targets: $*"
    failed=1
}

# picolibc before 1.8.4 names the program itself.
is_named=
version=$(echo '#include <picolibc.h>' | riscv64-unknown-elf-gcc --specs=picolibc.specs -dM -E - |
    sed -n 's/^#define __PICOLIBC_VERSION__ "\(.*\)"/\1/p')
[ "$(printf '%s\n1.8.4\n' "$version" | sort -V | head -n 1)" = 1.8.4 ] || is_named=1

# NAME PROGRAM ARGUMENT...: its output goes to PROGRAM-NAME.log; the limit is for an image that hangs
run() {
    name=$1 program=$2
    said=$out/$2-$1.log
    shift 2
    # For counting, an instruction is a nanosecond. The simulator is faster without.
    count=
    [ "$program" = sim ] || count='-icount shift=0'
    if [ "$name" != rv32 ] || [ -z "$is_named" ]; then
        set -- "$program" "$@"
    fi
    arguments=
    for argument; do
        arguments=$arguments,arg=$argument
    done
    case $name in
    m0) board='arm -M microbit' ;;
    m3) board='arm -M mps2-an385' ;;
    m4) board='arm -M mps2-an386' ;;
    rv32) board='riscv32 -M virt -bios none' ;;
    esac
    timeout 3000 qemu-system-$board $count -display none -monitor none -serial none -chardev stdio,id=said \
        -semihosting-config "enable=on,target=native,chardev=said$arguments" -kernel "$out/$program-$name.elf" \
        </dev/null >"$said" 2>"$out/errors" || finding "$name: $program ends with $?: $(head -n 3 "$out/errors")"
}

# simavr colours each line from the serial port, and ends it with a point.
run_avr() {
    name=avr
    said=$out/image-avr.log
    timeout 3000 simavr -m atmega1284p -f 16000000 "$out/image-avr.elf" </dev/null >"$out/errors" 2>&1 ||
        finding "avr: image ends with $?: $(head -n 3 "$out/errors")"
    sed -e "s/$(printf '\033')\[[0-9;]*m//g" -e 's/\.*$//' -e '/^Loaded /d' "$out/errors" >"$said"
}

image() { # NAME
    if [ "$1" = avr ]; then run_avr; else run "$1" image; fi
    rows=$(grep -vc -e '^#' -e '^id[[:space:]]' tests/vectors/resp2.tsv)
    for line in "vectors: $rows" "failed: 0"; do
        grep -qx "$line" "$said" || finding "$1: it does not say: $line"
    done
    awk -v name="$1" '$1 == "instructions:" && $2 > 0 { print "instructions", name, "lock", $2 }' "$said" >>"$out/figures"
    echo "targets: $1: $(tr '\n' ' ' <"$said")"
}

hashes() { # NAME
    run "$1" sim "$seeds" roomy=1 hash=1
    differ=$(diff "$out/hashes" "$said" | grep -c '^<')
    [ "$differ" = 0 ] || finding "$1: $differ of the schedules $seeds end otherwise"
    echo "targets: $1: $(wc -l <"$said") hashes"
}

scenarios() { # NAME
    run "$1" sim scenarios
    cmp -s "$out/scenarios" "$said" || finding "$1: scenarios end otherwise: $(grep FAIL "$said" | head -n 3)"
    echo "targets: $1: $(tail -n 1 "$said")"
}

"$build/sim" "$seeds" roomy=1 hash=1 >"$out/hashes" || exit
"$build/sim" scenarios >"$out/scenarios" || exit
for name in m0 m3 m4; do
    echo "compiler $name $(arm-none-eabi-gcc -dumpfullversion)"
done >"$out/figures"
echo "compiler rv32 $(riscv64-unknown-elf-gcc -dumpfullversion)" >>"$out/figures"
for name in m0 m3 m4 rv32 avr; do
    image $name
done
if [ -n "$update" ]; then
    { sed -n '/^#/p' "$figures" && cat "$out/figures"; } >"$out/figures.new" && cp "$out/figures.new" "$figures"
    exit $failed
fi
awk '$1 == "instructions" { print "targets: " $2 ": " $4 " instructions for an acquire and its release" }' "$out/figures"
awk -v who=targets -v update=targets-update -f tests/house/compare.awk tests/house/budgets.txt "$out/figures" "$figures" || failed=1
for name in $SIMULATED; do
    hashes $name
    scenarios $name
done
[ "$failed" = 0 ]
