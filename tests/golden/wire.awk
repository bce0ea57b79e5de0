# SPDX-License-Identifier: MIT
# wire.awk wire.txt resp.h WIRE.md - the page tells all and nothing else: every line of wire.txt is named in a
# row whose template it follows, and every row has one; every command and script of resp.h is on the page,
# and scripts stand there as they are sent, each in a line of wire.txt.
function wrong(text) { print "WIRE.md: " text; failed = 1 }
function follows(wire, template,    have, want, n, m, i) {
    n = split(wire, have, /\\r\\n/) - 1
    m = split(template, want, " ")
    for (i = 1; i <= m; i++) {
        if (want[i] == "...") return 1
        gsub(/<3 \+ arguments>/, "<n>", want[i])
        if (want[i] ~ /^[*$]?<.*>$/) {
            if (substr(want[i], 1, 1) ~ /[*$]/ && substr(want[i], 1, 1) != substr(have[i], 1, 1)) return 0
            if (want[i] == "<script>") script[have[i]] = 1
        } else if (have[i] != want[i]) return 0
    }
    return n == m
}
FILENAME ~ /wire\.txt$/ { split($0, part, "\t"); wire[part[1]] = part[2]; next }
function names(set, line) {
    while (match(line, /rdl_(cmd|script)_[a-z_]+/)) {
        set[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
FILENAME ~ /resp\.h$/ { names(known, $0); next }
{ names(told, $0) }
/^    [a-z]/ { text[substr($0, 5)] = 1 }
/^\| .rdl_/ {
    split($0, column, " [|] ")
    gsub(/<3 \+ arguments>/, "<n>", column[2])
    if (column[2] !~ /^the same/) { split(column[2], quoted, "`"); template = quoted[2] }
    n = split(column[1], quoted, "`")
    lines = 0
    for (i = 2; i <= n; i += 2) {
        lines += quoted[i] in wire
        if (quoted[i] in wire) {
            named[quoted[i]] = 1
            if (quoted[i] ~ /-any$/ || follows(wire[quoted[i]], template)) followed[quoted[i]] = 1
        } else if (quoted[i] !~ /^rdl_/) wrong(quoted[i] " is no line of wire.txt")
    }
    if (!lines) wrong("a row has no line of wire.txt: " column[1])
}
END {
    for (name in wire) {
        if (!(name in named)) wrong(name " is not there")
        else if (!(name in followed)) wrong("the template is not what is sent: " name)
    }
    for (name in known) {
        if (!(name in told)) wrong(name " is not there")
    }
    for (name in told) if (!(name in known)) wrong(name " is not in resp.h")
    for (s in script) if (!(s in text)) wrong("no such script: " s)
    for (s in text) if (!(s in script)) wrong("no line of wire.txt sends " s)
    exit failed
}
