#!/bin/bash
# SPDX-License-Identifier: MIT
# busy.sh CHECK ROUNDS LOOPS JOBS SUITE... - run these suites ROUNDS times while LOOPS loops keep the
# processors busy. A test that passes only on a quick machine fails here. Prints each round and its failures.
set -u
check=$1 rounds=$2 loops=$3 jobs=$4
shift 4
log=$(mktemp)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -f "$log"' EXIT
for ((i = 0; i < loops; i++)); do
    (while :; do :; done) &
    pids+=($!)
done
failed=0
for ((i = 1; i <= rounds; i++)); do
    began=$SECONDS result=ok
    "$check" -j "$jobs" "$@" >"$log" 2>&1 </dev/null || { result=FAILED failed=$((failed + 1)); }
    echo "round $i of $rounds: $((SECONDS - began)) s  $result"
    # The end of the runner's output: times, then failures.
    [ "$result" = ok ] || sed -n '/^suites above/,$p' "$log"
done
echo "$((rounds - failed)) of $rounds rounds passed under $loops busy loops"
[ "$failed" -eq 0 ]
