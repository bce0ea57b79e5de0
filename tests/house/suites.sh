#!/bin/sh
# SPDX-License-Identifier: MIT
# suites.sh - tests/suites.inc lists the suites of all tests/*/check_*.c, with their folders, and no others. Each of these
# files has a suite. Run from the top; exit status 1: there is a finding; each is a line.
set -eu
awk -F '[(, )]+' '
function end_of_file() {
    if (file != "" && !suites) finding(file ": it has no suite: write Suite *suite_NAME(void)")
}
function finding(text) {
    print text
    failed = 1
}
FILENAME ~ /\.inc$/ {
    if (/^SUITE\(/) listed[$3] = $2
    next
}
FNR == 1 {
    end_of_file()
    file = FILENAME
    suites = 0
    split(file, part, "/")
}
/^Suite \*suite_[a-z0-9_]+\(void\);?$/ {
    suites++
    name = substr($2, length("*suite_") + 1)
    if (!(name in found) && listed[name] != part[2])
        finding(file ": suite_" name "() does not run without this line of tests/suites.inc: SUITE(" part[2] ", " name ")")
    found[name]
}
END {
    end_of_file()
    for (name in listed)
        if (listed[name] != "" && !(name in found))
            finding("tests/suites.inc: SUITE(" listed[name] ", " name "): no tests/*/check_*.c has suite_" name "()")
    exit failed
}' tests/suites.inc tests/*/check_*.c
