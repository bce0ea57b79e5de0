#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the models with Spin: claims that must hold hold, and those that must break break.
#
#     tests/sim/model/run.sh BUILD [-a]      -a: the larger bounds too (minutes, gigabytes)
#     tests/sim/model/run.sh --one BUILD holds|breaks MODEL.pml FLAG...
#
# Two at a time; larger ones one at a time, because of their memory.
set -u
one=
if [ "$1" = --one ]; then
    one=1
    shift
fi
build=$1/model
here=tests/sim/model
mkdir -p "$build"

# check holds|breaks MODEL.pml flags...
check() {
    expected=$1
    model=$2
    shift 2
    out=$build/$(echo "$model$*" | tr -c 'A-Za-z0-9\n' _)
    mkdir -p "$out"
    start=$(date +%s.%N)
    (
        cp "$here/$model" "$out/model.pml" && cd "$out" && spin -a "$@" model.pml >spin.log 2>&1 &&
            ${CC:-cc} -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=6000 -o pan pan.c && ./pan -m500000 >pan.log 2>&1
    )
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
    printf '%-52s %-8s %12.0f %8s%s\n' "$model $*" "$verdict" "${states:-0}" "$seconds" "$note"
    rm -rf "$out"
}

if [ -n "$one" ]; then
    shift
    check "$@"
    exit
fi

list() {
    cat <<'END'
breaks legacy.pml -DDELSETNX -DN=2
breaks legacy.pml -DGETSET -DN=3
breaks legacy.pml -DCAS -DPLAINDEL -DN=2
holds legacy.pml -DCAS -DCAD -DN=3 -DTRIES=1
holds legacy.pml -DCAS -DCAD -DN=2 -DMAXT=6
holds legacy.pml -DCAS -DCAD -DPX -DN=3 -DTRIES=1
holds legacy.pml -DCAS -DCAD -DPX -DN=2 -DMAXT=6
breaks legacy.pml -DCAS -DCAD -DPX -DTAKEPX -DN=2
holds redlock.pml -DMAXT=3
breaks redlock.pml -DCRASH=1 -DNORELEASE
holds redlock.pml -DCRASH=1 -DDELAYED -DNORELEASE
holds redlock.pml -DCRASH=1 -DGUARD -DNORELEASE
breaks redlock.pml -DCRASH=1 -DGUARDSHORT -DNORELEASE
breaks redlock.pml -DJUMP -DNORELEASE
breaks redlock.pml -DFROMREPLY -DNORELEASE
breaks redlock.pml -DHALF -DMAXT=3 -DNORELEASE
breaks redlock.pml -DNOTOKEN -DTRIES=2 -DMAXT=3
holds redlock.pml -DLATE -DMAXT=3 -DNORELEASE
holds redlock.pml -DEXTEND -DNORELEASE
breaks redlock.pml -DEXTEND -DREVIVE
holds fence.pml
breaks fence.pml -DNOWRITEBACK
breaks fence.pml -DUNCONDITIONAL -DTRIES0=2
holds fence_kept.pml
breaks fence_kept.pml -DONEMORE
breaks fence_kept.pml -DMAJORITY
holds fence_kept.pml -DALL
breaks fence_kept.pml -DALL -DNOLATE
END
}
larger() {
    cat <<'END'
holds legacy.pml -DCAS -DN=3
holds legacy.pml -DCAS -DCAD -DN=3 -DMAXT=4
holds redlock.pml
holds redlock.pml -DLATE
holds redlock.pml -DCRASH=1 -DDELAYED -DMAXT=5 -DNORELEASE
holds redlock.pml -DCRASH=1 -DGUARD
holds redlock.pml -DCRASH=2 -DGUARD -DNORELEASE
holds redlock.pml -DEXTEND
holds fence.pml -DTRIES0=2
holds fence_kept.pml -DK=5 -DHOLDERS=2 -DLOSSES=3
END
}
run() { # how many at a time; the list is its input
    xargs -L 1 -P "$1" "$0" --one "${build%/model}" | tee -a "$build/told"
}

printf '%-52s %-8s %12s %8s\n' 'model' 'verdict' 'states' 'seconds'
: >"$build/told"
list | run 2
total=$(list | wc -l)
if [ "${2:-}" = -a ]; then
    larger | run 1
    total=$((total + $(larger | wc -l)))
fi
expected=$(grep -cv 'expected:' "$build/told")
echo "$expected of $total models as expected"
[ "$expected" -eq "$total" ]
