# SPDX-License-Identifier: MIT
# score.awk survivors.txt RESULTS - what mutate.sh prints at its end. In survivors.txt
# each line is FILE :: CHANGE :: LINE OF CODE :: REASON. The change * stands for every change of the line.
FILENAME == ARGV[1] {
    if ($0 !~ /^#/ && split($0, part, " :: ") == 4) known[part[1], part[2], part[3]]
    next
}
$1 == "does not compile" || $1 == "same code" { left_out++; next }
{ files[$2]; tried[$2]++; all++ }
$1 != "SURVIVES" { noticed[$2]++; sum++; by[$1]++; next }
($2, $4, $5) in known || ($2, "*", $5) in known { listed[$2]++; sum_listed++; next }
{ survivors[++n] = sprintf("%s:%s: %s: %s", $2, $3, $4, $5) }
END {
    for (file in files)
        printf "%-28s %4d of %4d noticed%s\n", file, noticed[file], tried[file], \
            listed[file] ? sprintf(", %d without effect", listed[file]) : "" | "sort"
    close("sort")
    for (i = 1; i <= n; i++)
        print "SURVIVES " survivors[i]
    for (what in by)
        printf "%d by %s; ", by[what], what
    all -= sum_listed
    printf "%d of %d changes noticed (%.1f %%), and %d without effect\n", sum, all, all ? 100 * sum / all : 0, \
        sum_listed + left_out
    exit all == 0 || 100 * sum < least * all
}
