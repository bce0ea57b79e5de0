#!/bin/bash
# SPDX-License-Identifier: MIT
# recall.sh OUT OBJECTS [NAME...] - brings back one bug after the other that was fixed (undo/NAME.patch), and sees whether
# the tests notice each (notice.sh). Those that they miss are tried with the other suites of `make check`. Those that only
# another target of make notices are in undo/targets.txt, and not tried. Prints what noticed each bug, and how many were
# noticed. Exit status 1: one was not, or its patch does not apply any more.
#
# From make come, besides what notice.sh needs, ALL_OBJ: the objects of all suites; CLI_MAIN: of the command alone.
#
#     recall.sh --one OUT OBJECTS NAME
set -u
one=
[ "$1" != --one ] || { one=1 && shift; }
out=$1 objects=$2 top=$PWD dir=tests/mutation
# shellcheck source=tests/mutation/notice.sh
. $dir/notice.sh

# Prints the objects. Those that include one of the headers are compiled again: its functions may be inline there.
again() { # place headers object...
    local place=$1 headers=$2 o c
    shift 2
    for o; do
        c=${o#"$objects/lib/"}
        c=${c%.o}.c
        if [ -n "$headers" ] && grep -qF "$headers" "${o%.o}.d"; then
            mkdir -p "$(dirname "$place/$c")" && cp "$c" "$place/$c" && compile "$place" "$c" && o=$place/${c%.c}.o
        fi
        echo "$o"
    done
}

# Prints a test of the other suites that fails. On a busy machine one may fail by itself: its suite runs once more, alone.
noticed_by_check() { # place headers
    local suite test
    mkdir -p "$1/bin" && ln -s "$top/$objects/examples" "$1/examples" # next to the program of the suites
    # shellcheck disable=SC2046,SC2086 # words
    if ! link "$1" bin/redlock $CLI_MAIN || ! link "$1" check "$objects/lib/tests/main.o" $(again "$1" "$2" $ALL_OBJ); then
        echo linker && return
    fi
    # Tests print the environment, and that of make is large. Recipes run in the first folder of RDL_COMMAND.
    set -- "$1" env -i PATH="$PATH" HOME="$HOME" RDL_COMMAND="${1#"$top/"}/bin/redlock"
    timeout 900 "${@:2}" "$1/check" -j 6 servers/ cli/ sim/ 2>&1 </dev/null | sed -nE 's/^([a-z_/]+\.c):[0-9]+:[FE]:.*/\1/p' |
        sort -u | xargs -r sed -nE 's/.*suite_create\("(.*)"\).*/\1/p' | while read -r suite; do
        test=$(timeout 300 "${@:2}" "$1/check" "$suite" 2>&1 </dev/null | sed -nE '/:[FE]:/{s/.*:[FE]:[^:]*:([^:]*):.*/\1/p;q}')
        [ -z "$test" ] || { echo "make check: $test" && break; }
    done
}

try() { # name
    local place=$out/$1 c changed headers result=
    mkdir -p "$place"
    cp -r resp net lock redlock "$place"
    if ! patch -s -f -p 1 -d "$place" <"$dir/undo/$1.patch" >/dev/null 2>&1; then
        result='DOES NOT APPLY'
    else
        changed=$(cd "$place" && for c in $CORE_SRC $POSIX_SRC; do cmp -s "$c" "$top/$c" || echo "$c"; done)
        headers=$(cd "$place" && find resp net lock redlock -name '*.h' -exec sh -c 'cmp -s "$1" "$2/$1" || echo "$1"' sh {} "$top" ';')
        if [ -n "$headers" ]; then
            changed="$CORE_SRC $POSIX_SRC"
            # shellcheck disable=SC2086 # words
            TEST_OBJ=$(again "$place" "$headers" $TEST_OBJ)
        fi
        for c in $changed; do
            compile "$place" "$c" || result='DOES NOT COMPILE'
        done
        [ -n "$result" ] || result=$(awk -v name="$1" '$1 == name { print "make " $2 }' "$dir/undo/targets.txt")
        [ -n "$result" ] || result=$(noticed_by "$place")
        [ -n "$result" ] || result=$(noticed_by_check "$place" "$headers")
    fi
    rm -rf "$place"
    printf '%-40s %s\n' "$1" "${result:-NOT NOTICED}" >>"$out/results"
}

if [ -n "$one" ]; then
    try "$3"
    exit 0
fi

shift 2
rm -rf "$out"
mkdir -p "$out" || exit
out=$(cd "$out" && pwd)
prepare net/net_posix.c
: >"$out/results"
if [ $# -gt 0 ]; then printf '%s\n' "$@"; else find $dir/undo -name '*.patch' -exec basename '{}' .patch ';'; fi | sort |
    xargs -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" -n 1 "$0" --one "$out" "$objects"
sort "$out/results"
awk '{ all++ } /NOT/ { missed++ } END { printf "%d of %d bugs noticed\n", all - missed, all; exit all == 0 || missed > 0 }' "$out/results"
