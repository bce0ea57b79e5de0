#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh - redlock/GUIDE.md is true of the tree: the tests and the runs of the simulator that it names exist, what it links
# to is there, and every recipe is linked. Each message of the command is in some test, but for guide_untested.txt.
set -eu
guide=redlock/GUIDE.md here=tests/house
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

# Scripts among the examples are recipes: each has its row, and can be run.
for recipe in redlock/examples/*.sh; do
    grep -qF "](examples/${recipe##*/})" $guide || finding "no link to $recipe"
    [ -x "$recipe" ] || finding "$recipe is not executable"
done

# The messages.
awk -f $here/messages.awk redlock/cli/*.c redlock/cli/*/*.c resp/resp.h net/net.h lock/lock_results.h redlock/redlock_results.h | sort -u >"$dir/messages"
[ "$(wc -l <"$dir/messages")" -gt 100 ] || finding "messages.awk finds next to nothing"
# A comment is no test.
cat tests/servers/*.c tests/cli/*.c tests/fixtures/*.c tests/resp/*.c tests/lock/*.c tests/redlock/*.c |
    awk -v RS='[*]/' '{ sub(/\/[*].*/, ""); print }' | tr -d '\n' | sed 's/" *"//g' >"$dir/sources"
awk -f $here/tested_messages.awk "$dir/messages" "$dir/sources" $here/guide_untested.txt || failed=1
exit $failed
