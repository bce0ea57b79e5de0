#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh [--changed] [STEP...] - everything that reads the sources without running them; `make lint` gives it
# WARN and WARN_GCC. Steps: house references gcc clang tidy cppcheck format shell python man words. Findings are printed as they come;
# the exit status is 0 if there are none. What is found differs between versions of the tools: clang-tidy and
# clang-format are version 14, that of Debian 12.
# ANALYZE_TESTS=1: clang-tidy reads the tests too, and follows the paths of all code, not of the library alone (make weekly).
# --changed: of what is read file by file only those that differ from origin/main or, without it, from HEAD.
# BUILT: what `make check` compiles by gcc and by clang, with the same warnings: here they do not.
#
# Lists of files and flags are split into words on purpose, and steps are called by name:
# shellcheck disable=SC2046,SC2086,SC2317
set -u
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
tests=$(dirname "$0")
out=$(mktemp -d) || exit
trap 'rm -rf "$out"' EXIT

# The library; what is built upon it; the tests. The proofs' drivers are read by Frama-C, with its headers, and what
# knows an emulated board by that board's compiler.
library() {
    find resp net lock redlock -name cli -prune -o -name examples -prune -o -name pkg -prune -o -name '*.c' -print | picked
}
upon() {
    find redlock/cli lock/examples redlock/examples ! -path '*/firmware/mem.c' -name '*.c' 2>/dev/null | picked
}
# What defines functions of the C library itself.
bare() {
    echo lock/examples/firmware/mem.c | picked
}
tests() {
    find tests fuzz -path tests/proofs -prune -o ! -name 'board_*' -name '*.c' -print 2>/dev/null | picked
}
scripts() {
    find .ci tests fuzz redlock -type f \( -name '*.sh' -o -name '*.bash' -o -path '.ci/*' \) 2>/dev/null | picked
}
picked() {
    if [ -n "$changed" ]; then sort | comm -12 - "$out/changed"; else sort; fi
}
list_changed() {
    base=origin/main
    git rev-parse -q --verify $base >/dev/null || base=HEAD
    echo "lint: files that differ from $base"
    { git diff --name-only $base -- && git ls-files -o --exclude-standard; } >"$out/differ" || exit
    sort -u "$out/differ" >"$out/changed"
}
unbuilt() {
    echo "${BUILT-}" | tr ' ' '\n' | sort >"$out/built"
    sort | comm -23 - "$out/built"
}
sources() {
    library
    upon
    bare
    tests
}
text_files() { # what people write: no data, no licence
    find . -path ./.git -prune -o -path ./build -prune -o -path '*/corpus' -prune -o -path '*/golden' -prune \
        -o -name LICENSE -o -name '*.tsv' -o -name package-lock.json -o -type f -print | sort
}

# What tests and fuzz targets are built with besides; -std=c99 and the rest come from the Makefile.
flags="-I. $(pkg-config --cflags check hiredis 2>/dev/null)
    -isystem $(pkg-config --variable=includedir lwip 2>/dev/null)"

house_step() {
    awk -f "$tests/house.awk" $(text_files)
    "$tests/lines.sh"
}
references_step() {
    "$tests/references.sh" 2>&1
}

# One command over every file, $jobs at a time.
over() { # command...: {} is the file
    xargs -r -I '{}' -P "$jobs" "$@" 2>&1
}

# The analyzer needs a compilation, not only the syntax. It does not know that ck_assert does not return; what gcc
# finds in tests by following the code, it says when they are built.
gcc_step() {
    : "${WARN_GCC:?make lint sets it}"
    { library && upon; } | over gcc $WARN_GCC $flags -O2 -fanalyzer -c -o /dev/null '{}'
    bare | over gcc $WARN_GCC $flags -ffreestanding -O2 -fanalyzer -c -o /dev/null '{}'
    tests | unbuilt | over gcc $WARN_GCC $flags -fsyntax-only '{}'
}
# clang knows all its warnings before it makes code.
clang_step() {
    : "${WARN:?make lint sets it}"
    { library && upon && tests; } | unbuilt | over clang $WARN $flags -O2 -fsyntax-only '{}' | grep -v '^[0-9]* warnings* generated'
    bare | over clang $WARN $flags -ffreestanding -O2 -fsyntax-only '{}'
}

# Beyond .clang-tidy: the command and the examples have one thread, and nobody can do anything about a
# message that does not reach stderr. Tests may besides recurse, build strings in arrays they know to be
# large enough, read numbers they wrote themselves, and use a shell.
upon_less=-concurrency-mt-unsafe,-cert-err33-c
tests_less=$upon_less,-misc-no-recursion,-bugprone-implicit-widening-of-multiplication-result,-cert-err34-c
tests_less=$tests_less,-clang-analyzer-security.insecureAPI.strcpy,-cert-env33-c
[ -n "${ANALYZE_TESTS-}" ] || tests_less=$tests_less,'-clang-analyzer-*'
tidy_step() {
    # Nearly all of the time goes into following paths: in the library each time. In all but the tests gcc -fanalyzer does it too.
    [ -n "${ANALYZE_TESTS-}$changed" ] || upon_less=$upon_less,'-clang-analyzer-*'
    {
        library | over clang-tidy-14 --quiet '{}' -- -std=c99 $flags
        upon | over clang-tidy-14 --quiet --checks=$upon_less '{}' -- -std=c99 $flags
        bare | over clang-tidy-14 --quiet --checks=$upon_less '{}' -- -std=c99 -ffreestanding $flags
        # Most of the time, and gcc and clang read them too: weekly, and what differs.
        [ -z "${ANALYZE_TESTS-}$changed" ] || tests | over clang-tidy-14 --quiet --checks=$tests_less '{}' -- -std=c99 $flags
    } | grep -E '(warning|error):' | sort -u
}

# cppcheck knows the C library without its headers (so MSG_DONTWAIT is nothing to it), and __has_include not at
# all. Not asked for:
#   knownConditionTrueFalse  follows one side of an || and one branch of an #ifdef, and calls that known
#   unreachableCode          takes raise() for a function that does not return
#   variableScope            declarations at the top of a function are no mistake
#   varFuncNullUB            is about the NULL that Check's own macros pass on
# Its remarks on style are for the product: it does not see through START_TEST.
cppcheck_step() {
    cppcheck $cppcheck_flags --enable=warning,style,performance,portability $(library) $(upon) 2>&1
    cppcheck $cppcheck_flags --enable=warning,performance,portability $(tests) 2>&1
}
cppcheck_flags="-q -j $jobs --std=c99 --inline-suppr --template=gcc -D__has_include(x)=1 -DMSG_DONTWAIT=64 -I.
    --suppress=missingIncludeSystem --suppress=knownConditionTrueFalse --suppress=unreachableCode
    --suppress=variableScope --suppress=varFuncNullUB"
format_step() {
    command -v clang-format-14 >/dev/null || {
        echo 'lint: format is not checked: it needs clang-format-14, and other versions format otherwise' >&2
        return
    }
    # shellcheck disable=SC2016 # that shell expands it
    sources | over sh -c 'clang-format-14 "$1" | cmp -s - "$1" || echo "$1: not as clang-format -i would have it"' - '{}'
}
shell_step() {
    scripts | xargs -r shellcheck 2>&1
}
python_step() {
    find tests -name '*.py' | sort | xargs -r pyflakes3 2>&1
}
pages='redlock/cli/redlock.1 redlock/doc/redlock.3 tests/servers/redlock-standin.1'
# In a heading mdoc takes a word like In or No for a macro, without a warning: write \&In.
man_step() {
    mandoc -T lint -W warning $pages 2>&1
    grep -nE '^\.S[hs] (.* )?[A-Z][a-z]( |$)' $pages
}
# Words that our texts do without.
words="stands?|tells|told|says of itself|who ?ever|(no|some)body( else|'s)?|he|him|his|himself|she|her|owe[sd]?|repay|repaid|anew
    |mends?|mended|in vain|besides|is had|ha(ve|s|d) the lock|for so long|so long as|gives? back|lets? go of
    |(fence|fencing) numbers?|takes? no part|in the place of|out of hand|by and by|nothing is said|be content|believes? in
    |looks? at|a look|ask(ed|s) for|looked for|may not be looked|come to|wherever"
words_step() {
    git ls-files '*.md' '*.[1-9]' 'redlock/*.sh' 'resp/*.[ch]' 'net/*.[ch]' 'lock/*.[ch]' 'redlock/*.[ch]' '*.hpp' |
        xargs grep -nwiE "$(echo "$words" | tr -d '\n' | sed 's/ *|/|/g')"
}

changed=
if [ "${1-}" = --changed ]; then
    changed=1
    shift
    list_changed
fi
[ $# -gt 0 ] || set -- house references gcc clang tidy cppcheck format shell python man words
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
