#!/bin/sh
# SPDX-License-Identifier: MIT
# performance.sh [--update] PROGRAM BUDGETS FIGURES - instructions of acquire and release, as performance.c does them.
# valgrind counts them. They are compared with FIGURES and BUDGETS as compare.awk says. The difference to what is
# committed is printed.
set -eu
update=
if [ "$1" = --update ]; then
    update=1
    shift
fi
program=$1 budgets=$2 figures=$3
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
valgrind -q --tool=callgrind --collect-atstart=no --callgrind-out-file="$new/out" "$program" >"$new/rows"
{
    echo "compiler x86-64 $(gcc -dumpfullversion)"
    awk '
        FILENAME ~ /rows$/ { cycles[substr($1, 1)] = $2; next }
        $1 == "desc:" && $2 == "Trigger:" { row = $NF }
        $1 == "totals:" && row in cycles { printf "instructions x86-64 %s %.0f\n", row, $2 / cycles[row] }
    ' "$new/rows" "$new"/out.*
} >"$new/figures"
awk '
    BEGIN { printf "%-16s %9s %9s %9s\n", "instructions", "committed", "now", "change" }
    $1 != "instructions" { next }
    FILENAME ~ /figures$/ { printf "%-16s %9d %9d %+8.1f %%\n", $3, was[$3], $4, was[$3] ? ($4 / was[$3] - 1) * 100 : 0; next }
    { was[$3] = $4 }
' "$figures" "$new/figures"
if [ -n "$update" ]; then
    {
        echo '# SPDX-License-Identifier: MIT'
        echo '# Written by make performance-update. KIND TARGET NAME NUMBER; acquire and release at -O2, with assertions, as shipped.'
        cat "$new/figures"
    } >"$figures"
fi
awk -v who=performance -v update=performance-update -f "$(dirname "$0")/../house/compare.awk" "$budgets" "$new/figures" "$figures"
