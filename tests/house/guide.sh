#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh - redlock/GUIDE.md is true of the tree: the tests and the runs of the simulator that it names exist, and what it
# links to is there.
set -eu
guide=redlock/GUIDE.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
finding() {
    echo "$guide: $*"
    failed=1
}

# shellcheck disable=SC2016 # backquotes are what stands around them
# Names with three underscores at least; a simulator's run stands between stars.
grep -oE '`[a-z0-9]+(_[a-z0-9]+){3,}`' $guide | tr -d '`' | sort -u >"$dir/names"
grep -rhoE '^START_TEST\([a-z0-9_]+\)' tests | sed 's/START_TEST(//; s/)//' | sort -u >"$dir/tests"
comm -23 "$dir/names" "$dir/tests" >"$dir/missing"
while read -r name; do finding "there is no test $name"; done <"$dir/missing"
grep -oE '(^|[^*])\*[a-z][^*]+\*([^*]|$)' $guide | sed 's/^[^*]*\*//; s/\*.*//' | sort -u >"$dir/runs"
while read -r run; do
    grep -qF "{\"$run\"," tests/sim/scenarios_*.c || finding "the simulator has no run '$run'"
done <"$dir/runs"
for list in names runs; do
    [ -s "$dir/$list" ] || finding "no $list are found"
done

# Links into the tree, and to headings of this file as GitHub names them.
grep -oE '\]\([^):]+\)' $guide | sed 's/^](//; s/)$//' | sort -u >"$dir/links"
sed -nE 's/^#+ //p' $guide | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 \n-' | tr ' ' '-' >"$dir/headings"
while read -r link; do
    case $link in
    \#*) grep -qxF -e "${link#\#}" "$dir/headings" || finding "no heading is $link" ;;
    *) [ -e "redlock/${link%%\#*}" ] || finding "there is no ${link%%\#*}" ;;
    esac
done <"$dir/links"

exit $failed
