#!/bin/sh
# SPDX-License-Identifier: MIT
# lines.sh - the parts of the tree are no longer than budgets.txt allows: `budget lines tree NAME MOST`. Exit status 1: one is.
set -eu
of() { # name: its lines, words, files or targets
    case $1 in
    library) git ls-files resp net lock redlock | grep -E '\.[ch](pp)?$' | grep -vE '/(cli|examples|pkg)/' | xargs cat | wc -l ;;
    command) git ls-files redlock/cli | grep '\.[ch]$' | xargs cat | wc -l ;;
    tests) git ls-files tests | grep -E '\.[ch](pp)?$' | xargs cat | wc -l ;;
    house) git ls-files tests/house | xargs cat | wc -l ;;
    words) git ls-files '*.md' '*.[1-9]' | xargs cat | wc -w ;;
    mutants) git ls-files '*.sed' '*.patch' | wc -l ;;
    targets) make -s help | grep -c '^  [a-z]' ;;
    esac
}
status=0
while read -r budget kind _ name most; do
    [ "$budget $kind" = 'budget lines' ] || continue
    n=$(of "$name")
    [ "$n" -le "$most" ] || { echo "tests/house/budgets.txt: $name: $n, and the budget is $most" && status=1; }
done <tests/house/budgets.txt
exit $status
