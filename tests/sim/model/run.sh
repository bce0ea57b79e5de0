#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the models with Spin: what must hold holds, what must break breaks.
#
#     tests/sim/model/run.sh BUILD [-a]      -a: the larger bounds too (minutes, gigabytes)
set -u
build=$1/model
all=${2:-}
here=tests/sim/model
mkdir -p "$build"
failed=0
total=0
printf '%-52s %-8s %12s %8s\n' 'model' 'verdict' 'states' 'seconds'

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
    total=$((total + 1))
    note=
    if [ "$verdict" != "$expected" ]; then
        failed=$((failed + 1))
        note=" expected: $expected"
    fi
    printf '%-52s %-8s %12.0f %8s%s\n' "$model $*" "$verdict" "${states:-0}" "$seconds" "$note"
    rm -rf "$out"
}

check breaks legacy.pml -DDELSETNX -DN=2
check breaks legacy.pml -DGETSET -DN=3
check breaks legacy.pml -DCAS -DPLAINDEL -DN=2
check holds legacy.pml -DCAS -DCAD -DN=3 -DTRIES=1
check holds legacy.pml -DCAS -DCAD -DN=2 -DMAXT=6
check holds legacy.pml -DCAS -DCAD -DPX -DN=3 -DTRIES=1
check holds legacy.pml -DCAS -DCAD -DPX -DN=2 -DMAXT=6
check breaks legacy.pml -DCAS -DCAD -DPX -DTAKEPX -DN=2
check holds redlock.pml -DMAXT=3
check breaks redlock.pml -DCRASH=1 -DNORELEASE
check holds redlock.pml -DCRASH=1 -DDELAYED -DNORELEASE
check holds redlock.pml -DCRASH=1 -DGUARD -DNORELEASE
check breaks redlock.pml -DCRASH=1 -DGUARDSHORT -DNORELEASE
check breaks redlock.pml -DJUMP -DNORELEASE
check breaks redlock.pml -DFROMREPLY -DNORELEASE
check breaks redlock.pml -DHALF -DMAXT=3 -DNORELEASE
check breaks redlock.pml -DNOTOKEN -DTRIES=2 -DMAXT=3
check holds redlock.pml -DLATE -DMAXT=3 -DNORELEASE
check holds redlock.pml -DEXTEND -DNORELEASE
check breaks redlock.pml -DEXTEND -DREVIVE
check holds fence.pml
check breaks fence.pml -DNOWRITEBACK
check breaks fence.pml -DUNCONDITIONAL -DTRIES0=2
check holds fence_kept.pml
check breaks fence_kept.pml -DONEMORE
check breaks fence_kept.pml -DMAJORITY
check holds fence_kept.pml -DALL
check breaks fence_kept.pml -DALL -DNOLATE
if [ "$all" = -a ]; then
    check holds legacy.pml -DCAS -DN=3
    check holds legacy.pml -DCAS -DCAD -DN=3 -DMAXT=4
    check holds redlock.pml
    check holds redlock.pml -DLATE
    check holds redlock.pml -DCRASH=1 -DDELAYED -DMAXT=5 -DNORELEASE
    check holds redlock.pml -DCRASH=1 -DGUARD
    check holds redlock.pml -DCRASH=2 -DGUARD -DNORELEASE
    check holds redlock.pml -DEXTEND
    check holds fence.pml -DTRIES0=2
    check holds fence_kept.pml -DK=5 -DHOLDERS=2 -DLOSSES=3
fi
echo "$((total - failed)) of $total models as expected"
[ "$failed" = 0 ]
