# SPDX-License-Identifier: MIT
# compare.awk - measured figures against committed ones: awk -v who=SCRIPT -v update=TARGET -f compare.awk
# budgets.txt figures COMMITTED. A line is KIND TARGET NAME NUMBER; "compiler TARGET VERSION" says who made them.
# Structure sizes must be as committed. Others may exceed what was committed by 16 bytes or 1 %; they depend on
# the compiler, so those of another version are held to the budgets alone. Exit status 1: too large.
function fail(text) { print who ": " text; failed = 1 }
FILENAME ~ /budgets/ { if ($1 == "budget") budget[$2, $3, $4] = $5; next }
$1 == "compiler" { if (FILENAME ~ /figures$/) built[$2] = $3; else with[$2] = $3; next }
FILENAME ~ /figures$/ { if (/^!/) fail(substr($0, 3)); else if (!/^#/) now[$1, $2, $3] = $4; next }
NF == 4 && $1 != "#" { was[$1, $2, $3] = $4 }
END {
    for (t in with)
        if (with[t] != built[t]) print who ": " t " compiler " built[t] ", figures are of " with[t] \
            ": all but sizes of structures are held to the budgets only"
    for (k in now) {
        split(k, p, SUBSEP)
        what = p[1] " of " p[3] " on " p[2] " is " now[k]
        if ((k in budget) && now[k] > budget[k]) fail(what ", the budget is " budget[k])
        if (p[1] != "sizeof" && with[p[2]] != built[p[2]]) continue
        if (!(k in was)) { fail(what ", never seen before"); continue }
        room = p[1] == "sizeof" ? 0 : was[k] < 1600 ? 16 : was[k] / 100
        if (now[k] > was[k] + room || (room == 0 && now[k] != was[k])) fail(what ", was " was[k])
        else if (now[k] < was[k] - room) print who ": " what ", was " was[k] ": better"
    }
    for (k in was) if (!(k in now)) { split(k, p, SUBSEP); fail(p[1] " of " p[3] " on " p[2] " is gone") }
    if (failed) print who ": if that is meant: make " update ", and commit the figures"
    exit failed
}
