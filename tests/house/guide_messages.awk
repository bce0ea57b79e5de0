# SPDX-License-Identifier: MIT
# guide_messages.awk MESSAGES GUIDE SOURCES UNTESTED SELF_EXPLAINING - compares messages (messages.awk) with the rows of
# the guide's tables, and with the text of all tests. Each message has a row, or is in SELF_EXPLAINING; not both.
# A place of a format (%s) is in the table a word in capitals, or nothing.

function finding(text) {
    print "redlock/GUIDE.md: " text
    failed = 1
}

function pattern(format,    out, c) { # the extended regular expression of its row
    gsub(/%%/, "\001", format)
    gsub(/%[-+ #0-9.*]*[lzh]*[a-z]/, "\002", format)
    out = "^"
    while (format != "") {
        c = substr(format, 1, 1)
        format = substr(format, 2)
        if (c == "\002")
            out = out "( ?[A-Z]+)?"
        else if (c == "\001")
            out = out "%"
        else if (c ~ /[][\\.*+?(){}|^$]/)
            out = out "[" (c == "^" ? "\\^" : c == "\\" ? "\\\\" : c == "]" ? "\\]" : c) "]"
        else
            out = out c
    }
    gsub(/  +/, " *", out)
    return out "$"
}

# By three of its words that follow each other, by two long ones, or by all that stands between two places.
function is_tested(format,    piece, n, i, words, k, at, two) {
    gsub(/%[-+ #0-9.*]*[lzh]*[a-z]/, "\002", format)
    gsub(/"/, "\\\"", format)
    n = split(format, piece, "\002")
    for (i = 1; i <= n; i++) {
        gsub(/^ +| +$/, "", piece[i])
        k = split(piece[i], words, " ")
        if (k > 0 && (n == 1 || length(piece[i]) >= 9) && index(sources, piece[i]))
            return 1
        for (at = 1; at < k; at++) {
            two = words[at] " " words[at + 1]
            if (length(two) >= 14 && index(sources, two))
                return 1
            if (at + 1 < k && index(sources, two " " words[at + 2]))
                return 1
        }
    }
    return 0
}

FNR == 1 { file++ }
file == 1 {
    kind[$0] = substr($0, 1, index($0, "\t") - 1)
    format[$0] = substr($0, index($0, "\t") + 1)
    if (kind[$0] != "remedy")
        all[++n_all] = $0
}
file == 2 && /^## / { in_messages = /^## Every message/ }
file == 2 && in_messages && /^\| `/ {
    row = $0
    sub(/^\| /, "", row)
    sub(/ \|.*/, "", row)
    gsub(/^``? ?| ?``?$/, "", row)
    rows[++n_rows] = row
    if (split($0, cell, / \| /) != 3 || cell[2] ~ /^ *$/ || cell[3] ~ /^ *\|?$/)
        finding("a row has three cells: message, cause, what to do: " row)
}
# mawk's index() compares beyond the end of a string: the spaces are longer than any text that is looked for.
file == 3 { sources = sources $0 sprintf("%1000s", "") }
file == 4 && !/^#/ && NF { untested[$0] = 1 }
file == 5 && !/^#/ && NF { self_explaining[$0] = 1 }
END {
    for (i = 1; i <= n_all; i++) {
        key = all[i]
        expression = pattern(format[key])
        found = 0
        for (r = 1; r <= n_rows; r++)
            if (rows[r] ~ expression) {
                found++
                known[r] = 1
            }
        if (!found && !(format[key] in self_explaining))
            finding("no row, and not in guide_self_explaining.txt: the " kind[key] " \"" format[key] "\"")
        if (found && (format[key] in self_explaining))
            finding("has a row, and is in guide_self_explaining.txt: \"" format[key] "\"")
        tested = is_tested(format[key])
        n_tested += tested
        if (!tested && !(format[key] in untested))
            finding("in no test: the " kind[key] " \"" format[key] "\"")
        if (tested && (format[key] in untested))
            finding("in a test, and in guide_untested.txt: \"" format[key] "\"")
        seen[format[key]] = 1
    }
    for (r = 1; r <= n_rows; r++)
        if (!known[r])
            finding("nothing prints \"" rows[r] "\"")
    for (text in untested)
        if (!(text in seen))
            finding("nothing prints what guide_untested.txt has: \"" text "\"")
    for (text in self_explaining)
        if (!(text in seen))
            finding("nothing prints what guide_self_explaining.txt has: \"" text "\"")
    printf "%d messages in the code, %d rows in the guide, %d messages in tests\n", n_all, n_rows, n_tested
    exit failed
}
