#!/bin/sh
# SPDX-License-Identifier: MIT
# guide.sh - redlock/doc/GUIDE.md is true of the tree: the runs of the simulator and the metrics that it names exist, and every
# recipe is linked. Each message of the command is in some test, but for guide_untested.txt.
set -eu
guide=redlock/doc/GUIDE.md here=tests/house
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
finding() {
    echo "$guide: $*"
    failed=1
}

# A run is between stars.
grep -oE '(^|[^*])\*[a-z][^*]+\*([^*]|$)' $guide | sed 's/^[^*]*\*//; s/\*.*//' | sort -u >"$dir/runs"
while read -r run; do
    grep -qF ".name = \"$run\"" tests/sim/scenarios_*.c || finding "the simulator has no run '$run'"
done <"$dir/runs"
[ -s "$dir/runs" ] || finding "no runs are found"

# The metrics, and those that the guide and the manual name.
metrics() { # file...
    grep -ohE 'redlock_(lock|server|list|job)_[a-z_]+' "$@" | sort -u
}
metrics redlock/cli/servers/metrics.c >"$dir/printed"
metrics redlock/cli/redlock.1 | diff "$dir/printed" - || finding "redlock.1 does not list the metrics above"
metrics $guide | while read -r metric; do
    grep -qwF "$metric" redlock/cli/servers/metrics.c redlock/examples/job_metrics.sh || echo "$metric"
done >"$dir/unknown"
[ ! -s "$dir/unknown" ] || finding "there is no metric $(cat "$dir/unknown")"

# Scripts among the examples are recipes: each has its row, and can be run.
for recipe in redlock/examples/*.sh; do
    grep -qF "](../examples/${recipe##*/})" $guide || finding "no link to $recipe"
    [ -x "$recipe" ] || finding "$recipe is not executable"
done

# The messages.
awk -f $here/messages.awk redlock/cli/*.c redlock/cli/*/*.c resp/resp_strerror.c | sort -u >"$dir/messages"
[ "$(wc -l <"$dir/messages")" -gt 100 ] || finding "messages.awk finds next to nothing"
# A comment is no test.
cat tests/servers/*.c tests/cli/*.c tests/fixtures/*.c tests/resp/*.c tests/lock/*.c tests/redlock/*.c |
    awk -v RS='[*]/' '{ sub(/\/[*].*/, ""); print }' | tr -d '\n' | sed 's/" *"//g' >"$dir/sources"
awk -f $here/tested_messages.awk "$dir/messages" "$dir/sources" $here/guide_untested.txt || failed=1
exit $failed
