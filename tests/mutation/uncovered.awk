# SPDX-License-Identifier: MIT
# uncovered.awk uncovered.txt UNCOVERED - prints what is not reached and is no exception. uncovered.txt has the file,
# what does not happen, the line of code and the reason, with :: between. UNCOVERED: file, line number, what.
FILENAME == ARGV[1] {
    if ($0 !~ /^#/ && split($0, part, " :: ") == 4) reason[part[1], part[2], part[3]]
    next
}
{
    if (!($1 in read)) {
        read[$1]
        for (n = 1; (getline line <$1) > 0; n++) {
            sub(/^ */, "", line)
            code[$1, n] = line
        }
    }
    if ($3 == "never true" && code[$1, $2] ~ /^switch \(\(enum [a-z_]+\)/) next # its values all have a case (-Wswitch-enum)
    # a branch that is never taken leaves a condition without effect; the same twice on a line is printed once
    if (seen[$1, $2, $3]++ || ($3 ~ /^condition/ && ($1, $2) in never)) next
    if ($3 ~ /^never/) never[$1, $2]
    at = $1 SUBSEP $3 SUBSEP code[$1, $2]
    if (at in reason) { used[at]; next }
    printf "%s:%d: %s: %s\n", $1, $2, $3, code[$1, $2]
    found++
}
END {
    for (at in reason)
        if (!(at in used)) {
            split(at, part, SUBSEP)
            print part[1] ": is reached, and listed as an exception: " part[3]
            found++
        }
    printf "%d lines, branches and conditions of the library are not reached\n", found
    exit found > 0
}
