#!/bin/sh
# SPDX-License-Identifier: MIT
# parts.sh RESULTS MAKE TARGET... - make each target, go on after a failure, and say at the end how each
# went. A target that leaves "PASSED FAILED" in RESULTS/TARGET counts its tests, any other counts as one.
# The last line is the sum: "N passed, N failed". The exit status is 0 if nothing failed.
set -u
results=$1 make=$2
shift 2
# make -n makes this recipe, as it has a +.
case ${MAKEFLAGS%% *} in *n*) echo "$make $*" && exit ;; esac
passed=0 failed=0 table=
rm -rf "$results"
mkdir -p "$results" || exit
start=$(date +%s)
for part; do
    echo "== $part"
    began=$(date +%s)
    # $make may be several words, and make sees its name here to share its job slots
    $make "$part" </dev/null
    status=$?
    took=$(($(date +%s) - began))
    p=0 f=0
    [ ! -s "$results/$part" ] || read -r p f <"$results/$part"
    if [ "$status" -ne 0 ]; then
        [ "$f" -gt 0 ] || f=1
    elif [ "$p" -eq 0 ]; then
        p=1
    fi
    passed=$((passed + p)) failed=$((failed + f))
    table="$table$(printf '%-16s %4d s  %5d passed  %3d failed' "$part" "$took" "$p" "$f")
"
done
printf '\n%s%-16s %4d s\n' "$table" total "$(($(date +%s) - start))"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
