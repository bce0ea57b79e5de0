#!/bin/sh
# SPDX-License-Identifier: MIT
# mutate.sh OUT [FILE...] - change every operator and constant of resp/*.c in turn, one at a time, and see whether
# the suites notice. Survivors are printed; README.md names those that are equivalent. Run from the top.
set -u
out=$1
shift
[ $# -gt 0 ] || set -- resp/*.c
mkdir -p "$out"
sed -n 's,^tests/check_\(resp_.*\)\.c$,SUITE(\1),p' <<END >"$out/suites.inc"
$(ls tests/check_resp_*.c)
END
flags="-std=c99 -O1 -w -I. -I$out"
for c in tests/main.c tests/check_resp_*.c tests/golden/wire.c resp/*.c; do
    # shellcheck disable=SC2086 # words on purpose
    gcc $flags -c -o "$out/$(basename "$c" .c).o" "$c" || exit
done
libs=$(pkg-config --libs check)
killed=0 total=0 broken=0

notices() { # objects of resp/ but the mutant's
    # shellcheck disable=SC2086
    gcc -o "$out/wire" "$out/wire.o" "$out/mutant.o" $1 && "$out/wire" | cmp -s - tests/golden/wire.txt || return 0
    # shellcheck disable=SC2086
    gcc -o "$out/check" "$out/main.o" "$out"/check_resp_*.o "$out/mutant.o" $1 $libs || return 0
    ! CK_FORK=no timeout 20 "$out/check" >/dev/null 2>&1
}

try() { # file line change
    total=$((total + 1))
    rest=
    for c in resp/*.c; do [ "$c" = "$1" ] || rest="$rest $out/$(basename "$c" .c).o"; done
    # shellcheck disable=SC2086
    if ! gcc $flags -Iresp -c -o "$out/mutant.o" "$out/mutant.c" 2>/dev/null; then
        broken=$((broken + 1))
    elif notices "$rest"; then
        killed=$((killed + 1))
    else
        echo "survived $1:$2: $3"
    fi
}

for file; do
    cp "$file" "$out/original.c" # the tree may change while this runs
    awk -f tests/proofs/mutate.awk "$out/original.c" >"$out/list"
    while IFS=$(printf '\t') read -r line change text; do
        MUTANT=$text awk -v n="$line" 'NR == n { print ENVIRON["MUTANT"]; next } { print }' "$out/original.c" >"$out/mutant.c"
        try "$file" "$line" "$change"
    done <"$out/list"
done
echo "$killed of $((total - broken)) mutants killed ($broken did not compile)"
