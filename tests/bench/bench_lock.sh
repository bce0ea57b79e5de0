#!/bin/sh
# SPDX-License-Identifier: MIT
# bench_lock.sh PROGRAM MOST: how many instructions a cycle of bench_lock.c takes, which valgrind counts; at most MOST.
set -eu
out=$(mktemp)
trap 'rm -f "$out"' EXIT
valgrind -q --tool=callgrind --collect-atstart=no --callgrind-out-file="$out" "$1"
awk -v most="$2" '
    /^totals:/ { n = $2 / 1000 }
    END {
        printf "instructions of a cycle: %.0f, at most %d\n", n, most
        exit n == 0 || n > most
    }' "$out"
