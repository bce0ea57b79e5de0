# SPDX-License-Identifier: MIT
# soundness.awk run.sh TEST.c... MUTANT.sed... DESIGN.md SOUNDNESS.md - SOUNDNESS.md with the table that the citations make: for
# each rule of DESIGN.md the claims of the models, the files that its mutants change, the tests and the mutants.

function add(list, item) {
    return list == "" ? item : list ", " item
}
function add_file(kind, rule, path, folder) {
    folder = path
    sub(/[^\/]*$/, "", folder)
    if (!((kind, rule, folder) in names))
        folders[kind, rule] = folders[kind, rule] " " folder
    if (!((kind, rule, path) in seen))
        names[kind, rule, folder] = add(names[kind, rule, folder], substr(path, length(folder) + 1))
    seen[kind, rule, path]
}
# A folder is named once, before its first file.
function files(kind, rule, n, folder, i, text) {
    n = split(folders[kind, rule], folder, " ")
    for (i = 1; i <= n; i++)
        text = add(text, folder[i] names[kind, rule, folder[i]])
    return text
}
function row(rule) {
    return "| " rule " | " or_none(holds[rule]) " | " or_none(breaks[rule]) " | " or_none(files("code", rule)) " | " \
        or_none(files("test", rule)) " | " or_none(mutant[rule] (mutants[rule] > 1 ? " and " mutants[rule] - 1 " more" : "")) " |"
}
function or_none(text) {
    return text == "" ? "-" : text
}

FILENAME ~ /run\.sh$/ {
    if ($1 ~ /^M[0-9]+$/) {
        n = split($2, cited, ",")
        for (i = 1; i <= n; i++)
            if ($3 == "holds")
                holds[cited[i]] = add(holds[cited[i]], $1)
            else
                breaks[cited[i]] = add(breaks[cited[i]], $1)
    }
    next
}
FILENAME ~ /\.c$/ {
    if (/Rules? R[0-9]/)
        for (rest = $0; match(rest, /R[0-9]+/); rest = substr(rest, RSTART + RLENGTH))
            add_file("test", substr(rest, RSTART, RLENGTH), substr(FILENAME, length("tests/") + 1))
    next
}
FILENAME ~ /\.sed$/ {
    if (/^# [^ ]+: R[0-9]+: /) {
        rule = substr($3, 1, length($3) - 1)
        add_file("code", rule, substr($2, 1, length($2) - 1))
        name = FILENAME
        gsub(/.*\/|\.sed$/, "", name)
        if (!mutants[rule]++)
            mutant[rule] = name
    }
    next
}
FILENAME ~ /DESIGN\.md$/ {
    if (match($0, /^- \*\*R[0-9]+\*\* /))
        rules[++count] = substr($0, 5, RLENGTH - 7)
    next
}
/^\| R[0-9]+ \|/ { next }
{ print }
/^\|---/ && !done++ {
    for (i = 1; i <= count; i++)
        print row(rules[i])
}
