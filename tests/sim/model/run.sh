#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the models with Spin: claims that must hold hold, and those that must break break.
#
#     tests/sim/model/run.sh BUILD [-a | -s | --write]
#         -a: the larger bounds too (minutes, gigabytes); -s: only the assumptions; --write: these, and write their counterexamples
#     tests/sim/model/run.sh --one BUILD NUMBER RULE,... holds|breaks MODEL.pml FLAG...
#
# A claim has a number, which redlock/doc/SOUNDNESS.md cites, and the rules of DESIGN.md that it is about (-: an assumption): what
# holds has the rule, and what breaks has not, or not all of it. Two at a time; larger ones one at a time, because of their memory.
# OFF=N for flags: an assumption of assumptions.pml does not hold. One program finds the shortest counterexample of each. It must be
# the one of counterexamples.txt.
set -u
one=
if [ "$1" = --one ]; then
    one=1
    shift
fi
build=$1/model
here=tests/sim/model
mkdir -p "$build"

# compile MODEL.pml FOLDER flag-of-cc flags...
compile() {
    mkdir -p "$2"
    cp "$here/$1" $here/steps.pml "$2" || return
    (
        cd "$2" && model=$1 && search=$3 && shift 3 && spin -a "$@" "$model" >spin.log 2>&1 &&
            ${CC:-cc} -O1 -w -DSAFETY -DMEMLIM=6000 "$search" -o pan pan.c
    )
}

# check NUMBER RULES holds|breaks MODEL.pml flags...
check() {
    number=$1
    expected=$3
    model=$4
    shift 4
    out=$build/$(echo "$model$*" | tr -c 'A-Za-z0-9\n' _)
    mkdir -p "$out"
    start=$(date +%s.%N)
    case $1 in
    OFF=*)
        (cd "$out" && env "$1" ../shortest/pan -E -w20 >pan.log 2>&1)
        (cd "$out" && env "$1" ../shortest/pan -r 2>&1) | sed -n '/^[0-9]/p' >"$build/$1"
        ;;
    *) compile "$model" "$out" -DCOLLAPSE "$@" && (cd "$out" && ./pan -m500000 >pan.log 2>&1) ;;
    esac
    seconds=$(echo "$(date +%s.%N) $start" | awk '{ printf "%.1f", $1 - $2 }')
    errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' "$out/pan.log" 2>/dev/null)
    states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$out/pan.log" 2>/dev/null | head -n 1)
    complete=$(grep -c 'error: max search depth too small\|out of memory\|truncated' "$out/pan.log")
    case $errors in
    '') verdict=ERROR ;;
    0) verdict=holds ;;
    *) verdict=breaks ;;
    esac
    [ "$complete" = 0 ] || verdict=PARTIAL
    note=
    [ "$verdict" = "$expected" ] || note=" expected: $expected"
    printf '%-3s %-52s %-8s %12.0f %8s%s\n' "$number" "$model $*" "$verdict" "${states:-0}" "$seconds" "$note"
    rm -rf "$out"
}

if [ -n "$one" ]; then
    shift
    check "$@"
    exit
fi

list() {
    cat <<'END'
M1 R35 breaks legacy.pml -DDELSETNX -DN=2
M2 R35 breaks legacy.pml -DGETSET -DN=3
M3 R35 breaks legacy.pml -DCAS -DPLAINDEL -DN=2
M4 R35 holds legacy.pml -DCAS -DCAD -DN=3 -DTRIES=1
M5 R35 holds legacy.pml -DCAS -DCAD -DN=2 -DMAXT=6
M6 R35 holds legacy.pml -DCAS -DCAD -DPX -DN=3 -DTRIES=1
M7 R35 holds legacy.pml -DCAS -DCAD -DPX -DN=2 -DMAXT=6
M8 R35 breaks legacy.pml -DCAS -DCAD -DPX -DTAKEPX -DN=2
M9 R1,R4,R5,R7,R24 holds redlock.pml -DMAXT=3
M10 R26 breaks redlock.pml -DCRASH=1 -DNORELEASE
M11 R26 holds redlock.pml -DCRASH=1 -DDELAYED -DNORELEASE
M12 R26 holds redlock.pml -DCRASH=1 -DGUARD -DNORELEASE
M13 R26 breaks redlock.pml -DCRASH=1 -DGUARDSHORT -DNORELEASE
M14 - breaks redlock.pml -DJUMP -DNORELEASE
M15 R1 breaks redlock.pml -DFROMREPLY -DNORELEASE
M16 R24 breaks redlock.pml -DHALF -DMAXT=3 -DNORELEASE
M17 R4 breaks redlock.pml -DNOTOKEN -DTRIES=2 -DMAXT=3
M18 R7 holds redlock.pml -DLATE -DMAXT=3 -DNORELEASE
M19 R2 holds redlock.pml -DEXTEND -DNORELEASE
M20 R2,R29 breaks redlock.pml -DEXTEND -DREVIVE
M21 R31 holds fence.pml
M22 R31 breaks fence.pml -DNOWRITEBACK
M23 R31 breaks fence.pml -DUNCONDITIONAL -DTRIES0=2
M24 R31 holds fence_kept.pml
M25 R31 breaks fence_kept.pml -DONEMORE
M26 R31 breaks fence_kept.pml -DMAJORITY
M27 R31 holds fence_kept.pml -DALL
M28 R31 breaks fence_kept.pml -DALL -DNOLATE
M39 R1,R2,R4,R5,R24,R26,R28,R29 holds assumptions.pml -DLATES=0
END
    assumptions
}
assumptions() {
    cat <<'END'
M40 R1,R4,R5,R24,R26,R28 holds assumptions.pml -DEXTENDS=0
M41 R1,R2,R4,R5,R24,R26,R28,R29 holds assumptions.pml -DK=2
M42 - breaks assumptions.pml OFF=101
M43 - breaks assumptions.pml OFF=102
M44 - breaks assumptions.pml OFF=103
M45 R28 breaks assumptions.pml OFF=104
M46 R26 breaks assumptions.pml OFF=105
M47 R26 breaks assumptions.pml OFF=106
M48 R26 breaks assumptions.pml OFF=107
M49 - breaks assumptions.pml OFF=108
M50 - breaks assumptions.pml OFF=109
M51 R6 breaks assumptions.pml OFF=110
M52 R23 breaks assumptions.pml OFF=111
END
}
larger() {
    cat <<'END'
M29 R35 holds legacy.pml -DCAS -DN=3
M30 R35 holds legacy.pml -DCAS -DCAD -DN=3 -DMAXT=4
M31 R1,R4,R5,R7,R24 holds redlock.pml
M32 R7 holds redlock.pml -DLATE
M33 R26 holds redlock.pml -DCRASH=1 -DDELAYED -DMAXT=5 -DNORELEASE
M34 R26 holds redlock.pml -DCRASH=1 -DGUARD
M35 R26 holds redlock.pml -DCRASH=2 -DGUARD -DNORELEASE
M36 R2 holds redlock.pml -DEXTEND
M37 R31 holds fence.pml -DTRIES0=2
M38 R31 holds fence_kept.pml -DK=5 -DHOLDERS=2 -DLOSSES=3
END
}
run() { # how many at a time; the list is its input
    xargs -L 1 -P "$1" "$0" --one "${build%/model}" | tee -a "$build/told"
}

# What each assumption is, as assumptions.pml has it, and what Spin found without it.
counterexamples() {
    printf '# SPDX-License-Identifier: MIT\n'
    printf '# The shortest runs of assumptions.pml in which two clients work at once. Each line begins with the tick.\n\n'
    sed -n 's/^#define [A-Z_]* \(1[0-9][0-9]\) *\/\* \(.*\) \*\/$/\1 \2/p' $here/assumptions.pml | while read -r off text; do
        printf '%s\n\n' "$text"
        sed 's/^/    /' "$build/OFF=$off"
        echo
    done
}

printf '%-3s %-52s %-8s %12s %8s\n' '' 'model' 'verdict' 'states' 'seconds'
: >"$build/told"
compile assumptions.pml "$build/shortest" -DBFS -DSHORTEST || exit
case ${2:-} in
-s | --write) chosen=assumptions ;;
*) chosen=list ;;
esac
$chosen | run 2
total=$($chosen | wc -l)
if [ "${2:-}" = -a ]; then
    larger | run 1
    total=$((total + $(larger | wc -l)))
fi
expected=$(grep -cv 'expected:' "$build/told")
echo "$expected of $total models as expected"
[ "$expected" -eq "$total" ] || exit
[ "${2:-}" != --write ] || counterexamples >$here/counterexamples.txt
counterexamples | diff $here/counterexamples.txt - || {
    echo "these counterexamples are not those of $here/counterexamples.txt: read them, then $0 $1 --write"
    exit 1
}
