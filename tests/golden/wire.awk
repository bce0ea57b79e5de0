# SPDX-License-Identifier: MIT
# wire.awk wire.txt HEADER... templates.inc SOURCE... WIRE.md - the page lists all and nothing else. The headers and
# sources are the *_commands.[ch] of all layers. An encoder of its own makes bytes of the words in each row: with
# placeholders they are the row's template, with arguments its lines of wire.txt. Every template, every script and every
# line has a row.
BEGIN {
    token = "0123456789abcdef0123456789abcdef01234567"
    until_s = "1700000030.123456789"
    give("", "k=lock:a|v=" token "|m=30000|x=1700000030|u=alice|P=secret|d=3|n=worker-7")
    give("", "b={lock:a}:fence|h=0|t=0.250|y=2")
    give("set-nx-px-any", "k=a\\x00\\r\\n|v=\\xff\\x5c\\n|m=4294967295")
    give("set", "v=" until_s); give("setnx", "v=" until_s); give("getset", "v=" until_s)
    give("blpop", "b={lock:a}:wake"); give("blpop-whole", "b={lock:a}:wake|t=1")
    give("eval-replace", "v=1700000060.123456789"); give("eval-canary", "k=rdl:canary|v=00c0ffee12345678 ")
    give("eval-acquire", "f=1700000000000"); give("eval-extend-fenced", "f=1700000000007")
    give("eval-release-hint", "b={lock:a}:wake|h=1000")
    give("config-get", "p=appendfsync")
    give("scan", "g=17179869184|p=lock:\\x5c[a\\x5c]*")
    give("sentinel-address", "k=mymaster"); give("sentinel-master", "k=mymaster")
    several = "lock:a lock:b"
    pairs = "lock:a " token " lock:b " token
    give("msetex", "x=NX"); give("msetex-extend", "x=XX")
    slots = "{lock:a}#0 {lock:a}#1"
}
function wrong(text) { print "WIRE.md: " text; failed = 1 }
function give(line, values,    part, n, i) {
    n = split(values, part, "|")
    for (i = 1; i <= n; i++) value[line, substr(part[i], 1, 1)] = substr(part[i], 3)
}

# ---------------------------------------------------------------- the encoder: bytes as wire.txt shows them
function bytes(text) { gsub(/\\x[0-9a-f][0-9a-f]|\\[rn]/, ".", text); return length(text) }
function bulk(text) { return "$" bytes(text) "\\r\\n" text "\\r\\n" }
function is_letter(word) { return word ~ /^[A-Za-z](\.\.\.)?$/ }
function with_holes(words,    word, n, i, out) {
    n = split(words, word, " ")
    out = words ~ /\.\.\./ ? "*a" : "*" n "\\r\\n"
    for (i = 1; i <= n; i++) out = out (is_letter(word[i]) ? "$" substr(word[i], 1, 1) : bulk(word[i]))
    return out
}
function argument(line, letter,    name) {
    name = line
    sub(/^eval(sha)?-/, "", name); gsub(/-/, "_", name)
    if (letter == "c") return line ~ /^evalsha-/ ? "EVALSHA" : "EVAL"
    if (letter == "s") return line ~ /^evalsha-/ ? sha["rdl_script_" name] : text["rdl_script_" name]
    return value[(line, letter) in value ? line : "", letter]
}
function with_arguments(words, line,    word, key, n, m, i, j, count, out) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++) {
        m = 1
        if (word[i] ~ /\.\.\./) m = split(line == "mget" ? slots : line ~ /^msetex/ ? pairs : several, key, " ")
        else key[1] = is_letter(word[i]) ? argument(line, word[i]) : word[i]
        for (j = 1; j <= m; j++) { out = out bulk(key[j]); count++ }
    }
    return "*" count "\\r\\n" out
}

# ---------------------------------------------------------------- the comparison
FILENAME ~ /wire\.txt$/ { split($0, part, "\t"); wire[part[1]] = part[2]; next }
function names(set, line) {
    while (match(line, /rdl_(wire|script)_[a-z_]+/)) {
        if (substr(line, RSTART, RLENGTH) != "rdl_script_call") set[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
}
FILENAME ~ /\.h$/ { if (/^extern|^   /) names(known, $0); next }
FILENAME ~ /templates\.inc$/ {
    if (match($0, /\([a-z_]+/)) listed["rdl_wire_" substr($0, RSTART + 1, RLENGTH - 1)] = 1
    next
}
FILENAME ~ /\.c$/ { # const char NAME[] = "..." "...";
    if (match($0, /^const char rdl_wire_[a-z_]+/)) name = substr($0, 12, RLENGTH - 11)
    while (name != "" && match($0, /"[^"]*"/)) {
        template[name] = template[name] substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH)
    }
    if (/;/) name = ""
    next
}
{ names(told, $0) }
/^`rdl_script_/ { split($0, part, "`"); script = part[2] }
/SHA1 *`|^`[0-9a-f]+`/ && match($0, /`[0-9a-f]+`/) {
    if (RLENGTH == 42) sha[script] = substr($0, RSTART + 1, 40)
}
/^    [a-z]/ { text[script] = substr($0, 5); script = "" }
/^\| `[a-zA-Z`, ]*` \| / && !/^\| .rdl_/ { legend = legend $0 }
/^\| .rdl_wire/ { row[++rows] = $0 }

function check_row(row,    column, quoted, words, n, i, at, lines) {
    split(row, column, " [|] ")
    n = split(column[1], quoted, "`")
    split(column[2], words, "`")
    for (i = 2; i <= n; i += 2) {
        if (quoted[i] ~ /^rdl_/) {
            at += 2
            if (quoted[i] in template && with_holes(words[at]) != template[quoted[i]])
                wrong(quoted[i] " is not " words[at])
            letters(words[at])
            continue
        }
        lines++
        named[quoted[i]] = 1
        if (!(quoted[i] in wire)) wrong(quoted[i] " is no line of wire.txt")
        else if (with_arguments(words[at], quoted[i]) != wire[quoted[i]])
            wrong(quoted[i] " is sent as\n" wire[quoted[i]] "\nand not\n" \
                with_arguments(words[at], quoted[i]))
    }
    if (!lines) wrong("a row has no line of wire.txt: " column[1])
}
function letters(words,    word, n, i) {
    n = split(words, word, " ")
    for (i = 1; i <= n; i++)
        if (is_letter(word[i]) && !index(legend, "`" substr(word[i], 1, 1) "`"))
            wrong("no such letter: " word[i])
}
END {
    for (i = 1; i <= rows; i++) check_row(row[i])
    for (name in wire) if (!(name in named)) wrong(name " is not there")
    for (name in known) {
        if (!(name in told)) wrong(name " is not there")
        if (name ~ /wire/ && !(name in template)) wrong(name " is in no *_commands.c")
        if (name ~ /wire/ && !(name in listed)) wrong(name " is not in templates.inc")
        if (name ~ /script/ && !(name in text)) wrong("the text is missing of " name)
    }
    for (name in template) if (!(name in known)) wrong(name " is in no *_commands.h")
    for (name in told) if (!(name in known)) wrong(name " is in no header")
    exit failed
}
