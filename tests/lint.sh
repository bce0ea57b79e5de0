#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh [STEP...] - everything that reads the sources without running them; `make lint` gives it WARN and
# WARN_GCC. Steps: house gcc clang tidy cppcheck format shell man. Findings are printed as they come; the
# exit status is 0 if there are none.
#
# Lists of files and flags are split into words on purpose, and steps are called by name:
# shellcheck disable=SC2046,SC2086,SC2317
set -u
jobs=${JOBS:-2}
tests=$(dirname "$0")
out=$(mktemp -d) || exit
trap 'rm -rf "$out"' EXIT

# The proofs' drivers are read by Frama-C, which has headers of its own.
sources() {
    find resp net lock redlock tests fuzz -path tests/proofs -prune -o -name '*.c' -print | sort
}
library() {
    find resp net lock redlock -name cli -prune -o -name examples -prune -o -name '*.c' -print | sort
}
others() {
    sources | grep -vxF "$(library)"
}
text_files() { # what people write: no data, no licence
    find . -path ./.git -prune -o -path ./build -prune -o -path '*/corpus' -prune -o -path '*/golden' -prune \
        -o -name LICENSE -o -name '*.tsv' -o -type f -print | sort
}

# What tests and fuzz targets are built with besides; -std=c99 and the rest come from the Makefile.
flags="-I. -I${B:-build} $(pkg-config --cflags check hiredis 2>/dev/null)"

house_step() {
    awk -f "$tests/house.awk" $(text_files)
}

# One compiler over every file, $jobs at a time. The analyzer needs a compilation, not only the syntax.
over() { # command...: {} is the file
    xargs -I '{}' -P "$jobs" "$@" 2>&1
}
gcc_step() {
    sources | over gcc $WARN_GCC $flags -O2 -fanalyzer -c -o /dev/null '{}'
}
clang_step() {
    sources | over clang $WARN $flags -O2 -c -o /dev/null '{}' | grep -v '^[0-9]* warnings* generated'
}

# Beyond .clang-tidy, for the command, the tests and the examples: they have one thread; what becomes of
# a message to stderr or of fclose after reading is nobody's business; offsets are small numbers.
tidy() {
    library | over clang-tidy --quiet '{}' -- -std=c99 $flags
    others | over clang-tidy --quiet '{}' \
        --checks=-concurrency-mt-unsafe,-cert-err33-c,-bugprone-implicit-widening-of-multiplication-result,-misc-no-recursion \
        -- -std=c99 $flags
}
tidy_step() {
    tidy | grep -vE '^[0-9]+ warnings? (generated|treated)|^$'
}

# cppcheck knows the C library without its headers, and __has_include not at all. Not asked for:
#   knownConditionTrueFalse  follows one side of an || and one branch of an #ifdef, and calls that known
#   unreachableCode          takes raise() for a function that does not return
#   variableScope            declarations at the top of a function are no mistake
cppcheck_step() {
    cppcheck -q -j "$jobs" --std=c99 --enable=warning,style,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=knownConditionTrueFalse --suppress=unreachableCode \
        --suppress=variableScope '-D__has_include(x)=1' -I. $(sources) 2>&1
}
format_step() {
    for file in $(sources); do
        clang-format "$file" | cmp -s - "$file" || echo "$file: not as clang-format -i would have it"
    done
}
shell_step() {
    shellcheck $(find .ci tests fuzz redlock -type f \( -name '*.sh' -o -path '.ci/*' \)) 2>&1
}
man_step() {
    [ ! -e redlock/cli/redlock.1 ] || mandoc -T lint -W warning redlock/cli/redlock.1 2>&1
}

[ $# -gt 0 ] || set -- house gcc clang tidy cppcheck format shell man
failed=0
for step; do
    began=$(date +%s)
    "${step}_step" >"$out/$step"
    cat "$out/$step"
    result=clean
    if [ -s "$out/$step" ]; then
        result='FINDINGS, above'
        failed=1
    fi
    printf 'lint: %-10s %4d s  %s\n' "$step" $(($(date +%s) - began)) "$result"
done
exit $failed
