#!/bin/sh
# SPDX-License-Identifier: MIT
# bench_resp.sh PROGRAM: time ratios to hiredis, then exact instruction ratios, which valgrind counts.
set -eu
program=$1
"$program"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
valgrind -q --tool=callgrind --callgrind-out-file="$dir/out" "$program" count >/dev/null
echo
echo "instructions per reply or command (hiredis / ours)"
cat "$dir"/out.* | awk '
    /^desc: Trigger: Client Request:/ { name = $5; who = $6; n = $7 }
    /^summary:|^totals:/ { if (name != "") { instr[name, who] = $2 / n; if (!(name in seen)) { seen[name] = 1; order[++k] = name } } name = "" }
    END {
        for (i = 1; i <= k; i++) {
            m = order[i]
            printf "%-16s %12.1f %12.1f %8.1fx\n", m, instr[m, "peer"], instr[m, "ours"], instr[m, "peer"] / instr[m, "ours"]
        }
        # bytes of the two lines: text + type byte + CR LF
        printf "linearity (64 KiB line against 1 KiB, per byte): ours %.3f, hiredis %.1f\n", \
            (instr["line.64k", "ours"] / 65539) / (instr["line.1k", "ours"] / 1027), \
            (instr["line.64k", "peer"] / 65539) / (instr["line.1k", "peer"] / 1027)
    }'
