#!/bin/sh
# SPDX-License-Identifier: MIT
# misra.sh [--write] - cppcheck's addon reads the library against MISRA C:2012. redlock/doc/MISRA.md has each rule that it finds
# broken, and how often at most. --write fills in the numbers. Exit status 1: a rule is broken more often, or is not on the page.
set -eu
page=redlock/doc/MISRA.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
find resp net lock redlock -name cli -prune -o -name examples -prune -o -name pkg -prune -o -name '*.c' -print | sort >"$dir/files"
cppcheck -q -j "$(nproc)" --std=c99 --addon=misra --template='{file}:{line}: {id}' -I. '-D__has_include(x)=1' -DMSG_DONTWAIT=64 \
    --suppress=missingIncludeSystem --file-list="$dir/files" >"$dir/found" 2>&1
sed -n 's/.*: misra-c2012-//p' "$dir/found" | sort | uniq -c >"$dir/counts"
[ "$(wc -l <"$dir/counts")" -gt 20 ] || { echo 'misra.sh: cppcheck finds next to nothing' && cat "$dir/found" && exit 1; }
# "| RULE | category | NUMBER | reason |"
awk -v write="${1-}" -v page="$dir/page" '
    FNR == NR { now[$2] = $1; next }
    /^\| [0-9]+\.[0-9]+ \|/ {
        split($0, cell, " *[|] *")
        most[cell[2]] = cell[4] + 0
        sub(/\| [0-9]+ \|/, "| " now[cell[2]] + 0 " |")
    }
    { print > page }
    END {
        for (rule in now)
            if (!(rule in most) || !write && now[rule] > most[rule])
                print "misra.sh: rule " rule " is broken " now[rule] " times, on the page " most[rule] + 0
    }' "$dir/counts" $page | sort >"$dir/more"
[ -z "${1-}" ] || cp "$dir/page" $page
cat "$dir/more"
sed 's/.*rule \([0-9.]*\) .*/misra-c2012-\1$/' "$dir/more" | grep -f - "$dir/found" || {
    echo "misra: $(grep -c misra-c2012 "$dir/found") findings, all on $page"
    exit 0
}
exit 1
