# SPDX-License-Identifier: MIT
# references.awk FILES EXCEPTIONS FILE... - references to what does not exist, one line for each. FILES is the list of the
# tree's files. EXCEPTIONS has a name and a reason in each line. What is read as a reference is in references.sh.

function finding(place, text) {
    print place ": " text
    failed = 1
}

# What C code, a script or a file's name defines: the words of a line that is no comment.
function define(code, word) {
    while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
        word = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        defined[word]
        if (!is_c && code !~ /^ *[?:]?=/ || word in is_public) # a script's variable, too
            continue
        is_public[word]
        while (match(word, /_[^_]*$/)) { # rdl_lock_ stands for all that begin so
            word = substr(word, 1, RSTART - 1)
            is_prefix[word "_"]
        }
    }
}

# A reference, with its place, to be looked up at the end.
function refer(kind, name) {
    if (!((kind, name) in place))
        order[++references] = kind SUBSEP name
    place[kind, name] = place[kind, name] FILENAME ":" FNR " "
}

function read_prose(text, rest, name, before) {
    gsub(/[a-z]+:\/\/[^ )>]*|-include [^ ]*/, "", text) # URLs, headers of others
    if (FILENAME ~ /\.md$/) { # links, with the heading that they lead to
        rest = text
        while (match(rest, /\]\([^)]+\)/)) {
            refer("link", substr(rest, RSTART + 2, RLENGTH - 3))
            rest = substr(rest, RSTART + RLENGTH)
        }
        gsub(/\]\([^)]+\)/, "]", text)
    }
    rest = text
    while (match(rest, paths)) {
        name = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH - 1)
        sub(/[^A-Za-z0-9_]+$/, "", name)
        sub(/^\(+/, "", name)
        # A pattern, a path of the system, or FILE.c: any file.
        if (name !~ /[*$(){}<>%@~]/ && name !~ /^[.+-]*\// && name !~ /(^|[\/_])[A-Z]+\.(c|h|sed|pml)$/)
            refer("file", name)
    }
    rest = text
    while (match(rest, /[A-Za-z_][A-Za-z0-9_]*(\(\))?/)) {
        name = substr(rest, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : " "
        rest = substr(rest, RSTART + RLENGTH)
        if (before ~ /[0-9$%@*]/ || rest ~ /^[*$%@]/ && name !~ /_$/)
            continue
        if (name ~ /^(rdl|RDL)_./)
            refer("public", substr(name, 1, length(name) - (name ~ /\)$/ ? 2 : 0)))
        else if (name ~ /\)$/)
            refer("function", substr(name, 1, length(name) - 2))
        else if (name ~ /^[a-z0-9]+_[a-z0-9_]+$/) # an_old_..., an_old...: its beginning
            refer("name", name (rest ~ /^\.\.\./ && name !~ /_$/ ? "_" : ""))
    }
    rest = text
    while (match(rest, /sections? [0-9]+((,| and) [0-9]+)*/)) {
        name = substr(rest, RSTART, RLENGTH)
        before = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (before ~ /RFC [0-9]+,? $/ || !(FILENAME ~ /DESIGN\.md$/ || before ~ /DESIGN\.md.?,? $/ || rest ~ /^ of .?(redlock\/)?DESIGN\.md/))
            continue
        while (match(name, /[0-9]+/)) {
            refer("section", substr(name, RSTART, RLENGTH))
            name = substr(name, RSTART + RLENGTH)
        }
    }
}

# A line of C: comments are prose, the rest defines.
function read_c(line, code, comment, token, end) {
    while (line != "") {
        if (in_comment) {
            end = index(line, "*/")
            comment = comment substr(line, 1, end ? end - 1 : length(line)) " "
            line = end ? substr(line, end + 2) : ""
            in_comment = !end
        } else if (match(line, /\/[*\/]|"([^"\\]|\\.)*"|'([^'\\]|\\.)+'/)) {
            token = substr(line, RSTART, RLENGTH)
            in_comment = token == "/*"
            is_acsl = substr(line, RSTART + RLENGTH, 1) == "@"
            code = code substr(line, 1, RSTART - 1) (token ~ /^\// ? " " : token)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//") {
                comment = line
                line = ""
            }
        } else {
            code = code line
            line = ""
        }
    }
    define(code)
    if (is_acsl || comment ~ /@defgroup/) # what the proofs and Doxygen read
        define(comment)
    else
        read_prose(comment)
    is_acsl = is_acsl && in_comment
}

BEGIN {
    paths = "[A-Za-z0-9_@./~*$()%{}<>+-]*[A-Za-z0-9_*)}-]\\.(c|h|sh|mk|awk|md|txt|sed|pml|py|map|S|ld|dot|dict|tsv|inc)"
    paths = paths "([^A-Za-z0-9_.(/-]|\\.?$|\\.[^A-Za-z0-9])"
}
FNR == 1 {
    part++
    is_c = FILENAME ~ /\.([chS]|[ch]pp|inc|pml|dox)$/
    is_script = FILENAME ~ /\.(sh|mk|awk|sed|py|mjs|yml|cmake)$|(Makefile|Doxyfile|run|rules|meson\.build|CMakeLists\.txt)$|completions\//
    in_comment = 0
}
part == 1 {
    exists[$0]
    name = $0
    do { # net/net.h is also net.h
        is_end[name]
    } while (sub(/^[^\/]*\//, "", name))
    name = $0
    while (sub(/\/[^\/]*$/, "", name))
        is_folder[name]
    name = $0
    sub(/.*\//, "", name)
    sub(/\..*/, "", name)
    defined[name]
    next
}
part == 2 {
    if (!/^#/ && NF)
        exception[$1]
    next
}
FILENAME ~ /DESIGN\.md$/ && /^## [0-9]+\./ {
    name = $2
    sub(/\.$/, "", name)
    sections[name]
}
FILENAME ~ /\.md$/ && /^#+ / { # as GitHub names it
    name = tolower($0)
    sub(/^#+ /, "", name)
    gsub(/[^a-z0-9 _-]/, "", name)
    gsub(/ /, "-", name)
    headings[FILENAME, name]
}
is_c {
    if (FILENAME ~ /\/check_/ && match($0, /^START_TEST\([a-z0-9_]+\)/)) {
        name = substr($0, 12, RLENGTH - 12)
        if (name in test)
            finding(FILENAME ":" FNR, "a second test " name ", as " test[name])
        test[name] = FILENAME ":" FNR
    }
    read_c($0)
    next
}
# MUTANT: its third line names tests as SUITE/TEST.
/^# tests: / {
    for (i = 3; i <= NF; i++) {
        name = $i
        sub(/.*\//, "", name)
        refer("test", name)
    }
    next
}
is_script && !/^[ \t]*(#|\/\/)/ {
    define($0)
    if (FILENAME !~ /\.sed$/)
        read_prose($0)
    next
}
{ read_prose($0) }

# A path from the file that names it.
function from(file, path) {
    sub(/[^\/]*$/, "", file)
    path = file path
    while (sub(/[^\/.][^\/]*\/\.\.\/|\.[^\/.][^\/]*\/\.\.\//, "", path))
        ;
    return path
}
function leads(file, link, heading) {
    if (match(link, /#.*/)) {
        heading = substr(link, RSTART + 1)
        link = substr(link, 1, RSTART - 1)
    }
    if (link != "")
        file = from(file, link)
    return (file in exists || file in is_folder) && (heading == "" || (file, heading) in headings)
}
function is_known(kind, name, files, n, i) {
    if (kind == "section")
        return name in sections
    if (kind == "test")
        return name in test
    if (kind == "public") {
        if (name in is_public || name ~ /_$/ && name in is_prefix)
            return 1
        sub(/s$/, "", name) # rdl_reqs: more than one rdl_req
        return name in is_public
    }
    if (kind == "function" || kind == "name")
        return name in defined || name in is_prefix
    sub(/^(\.\/)+/, "", name)
    if (kind == "file" && name in is_end)
        return 1
    n = split(place[kind, name], files, " ")
    for (i = 1; i <= n; i++) {
        sub(/:[0-9]+$/, "", files[i])
        if (kind == "link" ? !leads(files[i], name) : !(from(files[i], name) in exists))
            return 0
    }
    return 1
}
END {
    for (i = 1; i <= references; i++) {
        split(order[i], reference, SUBSEP)
        kind = reference[1]
        name = reference[2]
        if (is_known(kind, name))
            continue
        if (name in exception) {
            is_needed[name]
            continue
        }
        where = place[kind, name]
        sub(/ $/, "", where)
        gsub(/ /, ", ", where)
        finding(where, "there is no " (kind == "section" ? "section " : "") name)
    }
    for (name in exception)
        if (!(name in is_needed))
            finding(ARGV[2], name " is no exception any more")
    exit failed
}
