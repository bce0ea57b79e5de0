#!/bin/sh
# SPDX-License-Identifier: MIT
# readme_figures.sh - print README.md with the figures of today: sizes from size.txt, and what is counted in the tree. Exit
# status 1: one of the figures is not in README.md, or cannot be counted, or what is counted is not named there.
set -eu
here=tests/house

# Schedules of one simulator in a CI run, those within the assumptions: the lines of sim-long that run it once.
schedules() {
    awk '/^[a-z-]*:/ { on = /^sim-long:/ } on && /^\t\$\(B\)\/sim 1:[0-9]+/ { sub(/.*1:/, "", $2); n += $2 } END { print n }' tests/sim/sim.mk
}
# The host that cross.sh runs on and its others; the boards of targets.mk.
# shellcheck disable=SC2016 # a variable of make's
processors() {
    hosts=$(sed -n 's/^\[ \$# -gt 0 \] || set -- posix \(.*\) musl$/\1/p' tests/cross/cross.sh)
    boards=$(sed -n 's/^TARGET_IMAGES := \$(foreach t,\([a-z0-9 ]*\),\$(B)\/targets\/image-.*/\1/p' tests/targets/targets.mk)
    [ -z "$hosts" ] || [ -z "$boards" ] || echo "x86-64 $hosts $boards"
}
# Those that versions.sh fetches, and the system's own.
servers() {
    awk "/^table\(\)/ { on = 1 } on && /^END/ { print n + 1; exit } on && /-server\$/ { n++ }" tests/servers/servers.sh
}
mutants() {
    find tests/sim/mutants -name '*.sed' | wc -l
}

names() { # of processors, in the section on systems
    for name in $(processors | sed 's/riscv64/risc-v/'); do
        sed -n '/^## Supported systems/,/^## More/p' README.md | grep -qiw -e "$name" || echo "$name"
    done
}
versions() { # of servers, in the sentence on them
    sed -n '/CI takes locks on/,/^$/p' README.md | grep -oE '[0-9]+\.[0-9]+' | wc -l
}

missing=$(names)
[ -z "$missing" ] || { echo "README.md does not name these processors: $missing" >&2; exit 1; }
[ "$(versions)" -eq "$(servers)" ] || { echo "README.md names $(versions) versions of servers, and there are $(servers)" >&2; exit 1; }
figures=$(cat $here/size.txt)
for count in schedules mutants servers processors; do
    number=$($count)
    [ $count != processors ] || number=$(echo "$number" | wc -w)
    [ "${number:-0}" -gt 1 ] || { echo "readme_figures.sh: no $count are found" >&2; exit 1; }
    figures="$figures
count $count $number"
done
echo "$figures" | awk -f $here/readme_figures.awk - README.md
