# SPDX-License-Identifier: MIT
# refused.awk HEADER... net/net_error.c TEST... WIRE.md - the tables of "What servers refuse" name a test in every row,
# tests and results that exist, and every prefix that net_error.c knows.
function wrong(text) { print "WIRE.md: " text; failed = 1 }
FILENAME ~ /\.h$/ {
    line = $0
    while (match(line, /RDL_[A-Z_]+/)) {
        result[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    next
}
FILENAME ~ /net\/net_error\.c$/ { # the texts up to \0, without comments
    n = split($0, quoted, "\"")
    for (i = 2; i <= n; i += 2) {
        m = split(quoted[i], part, /\\0/)
        for (k = 1; k < m; k++) prefix[part[k]] = 1
    }
    next
}
FILENAME ~ /\.c$/ {
    if (match($0, /^START_TEST\([a-z_0-9]+/)) test[substr($0, RSTART + 11, RLENGTH - 11)] = 1
    next
}
/^## / { is_here = $0 == "## What servers refuse" }
is_here && /^\| `|^\| [a-zA-Z]/ {
    columns = split($0, column, " [|] ")
    n = split(column[columns], quoted, "`")
    if (n < 3 && column[1] !~ /^\| (reply|end)$/) wrong("no test: " column[1])
    for (i = 2; i <= n; i += 2) {
        if (!(quoted[i] in test)) wrong("no test has the name " quoted[i])
        named[quoted[i]] = 1
    }
    n = split(column[2], quoted, "`")
    for (i = 2; i <= n; i += 2) if (!(quoted[i] in result)) wrong(quoted[i] " is not in the headers")
    n = split(column[1], quoted, "`")
    for (i = 2; i <= n; i += 2) reply[quoted[i]] = 1
}
END {
    for (p in prefix) {
        told = 0
        for (r in reply) if (index(r " ", p) == 1 || index(r " ", "ERR " p) == 1) told = 1
        if (!told) wrong("no row for " p)
    }
    exit failed
}
