#!/bin/bash
# SPDX-License-Identifier: MIT
# recall.sh OUT OBJECTS [NAME...] - brings back one bug after the other that was fixed (undo/NAME.patch), and sees whether
# the tests notice each (notice.sh). Prints what noticed it, and how many were noticed. Exit status 1: one was not, or
# its patch does not apply any more.
#
#     recall.sh --one OUT OBJECTS NAME
set -u
one=
[ "$1" != --one ] || { one=1 && shift; }
out=$1 objects=$2 top=$PWD dir=tests/mutation
# shellcheck source=tests/mutation/notice.sh
. $dir/notice.sh

try() { # name
    local place=$out/$1 c changed result=
    mkdir -p "$place"
    cp -r resp net lock redlock "$place"
    if ! patch -s -f -p 1 -d "$place" <"$dir/undo/$1.patch" >/dev/null 2>&1; then
        result='DOES NOT APPLY'
    else
        changed=$(cd "$place" && for c in $CORE_SRC $POSIX_SRC; do cmp -s "$c" "$top/$c" || echo "$c"; done)
        # A header may be included anywhere.
        (cd "$place" && find resp net lock redlock -name '*.h' -exec sh -c 'cmp -s "$1" "$2/$1" || echo' sh {} "$top" ';') |
            grep -q . && changed="$CORE_SRC $POSIX_SRC"
        for c in $changed; do
            compile "$place" "$c" || result='DOES NOT COMPILE'
        done
        [ -n "$result" ] || result=$(noticed_by "$place")
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
