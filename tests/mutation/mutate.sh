#!/bin/bash
# SPDX-License-Identifier: MIT
# mutate.sh OUT OBJECTS DRAW SEED FILE... - makes small changes to the library, one at a time (operators.awk), and sees
# whether the tests notice each (notice.sh). DRAW: how many changes, drawn by the number SEED; 0: all. OBJECTS: make's.
#
# Prints the changes that nothing noticed, and a line for each file. A change that has no effect for a known reason is
# in survivors.txt and does not count. Exit status 1: fewer than LEAST percent were noticed (97).
#
#     mutate.sh --one OUT OBJECTS NUMBER    one change, by its line in OUT/list
set -u
one=
[ "$1" != --one ] || { one=1 && shift; }
out=$1 objects=$2 top=$PWD dir=tests/mutation
# shellcheck source=tests/mutation/notice.sh
. $dir/notice.sh

try() { # line of the list
    local place=$out/$1 result file first last what text
    IFS=$'\t' read -r file first last what text < <(sed -n "$1p" "$out/list")
    mkdir -p "$place/$(dirname "$file")"
    MUTANT=$text awk -v first="$first" -v last="$last" \
        'NR == first { print ENVIRON["MUTANT"] } NR > first && NR <= last { print "" } NR < first || NR > last' \
        "$out/originals/$file" >"$place/$file"
    if ! compile "$place" "$file"; then
        result='does not compile'
    elif cmp -s "$place/${file%.c}.o" "$out/originals/${file%.c}.o"; then
        result='same code'
    else
        result=$(noticed_by "$place")
    fi
    rm -rf "$place"
    printf '%s\t%s\t%s\t%s\t%s\n' "${result:-SURVIVES}" "$file" "$first" "$what" \
        "$(sed -n "${first}s/^ *//p" "$out/originals/$file")" >>"$out/results"
}

if [ -n "$one" ]; then
    try "$3"
    exit 0
fi

draw=$3 seed=$4
shift 4
rm -rf "$out"
mkdir -p "$out/originals" || exit
out=$(cd "$out" && pwd)
for file; do # the tree may change meanwhile
    mkdir -p "$out/originals/$(dirname "$file")"
    cp "$file" "$out/originals/$file"
    awk -f $dir/operators.awk "$file" | sed "s|^|$file\t|"
done >"$out/all"
if [ "$draw" -gt 0 ]; then
    awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' "$out/all" |
        sort -n | head -n "$draw" | cut -f 2- | sort -t "$(printf '\t')" -k 1,1 -k 2,2n >"$out/list"
else
    cp "$out/all" "$out/list"
fi
files=$(cut -f 1 "$out/list" | uniq)
for file in $files; do
    compile "$out/originals" "$file" || exit
done
# shellcheck disable=SC2086,SC2046 # words
prepare $(echo "$files" | grep -x net/net_uring.c) \
    $(echo "$files" | grep -v net_uring | grep -m 1 -x -F $(printf -- '-e %s ' $POSIX_SRC $WAITING_SRC) || echo lock/lock.c)
: >"$out/results"
seq "$(wc -l <"$out/list")" | xargs -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" -n 1 "$0" --one "$out" "$objects"
awk -F '\t' -v least="${LEAST:-97}" -f $dir/score.awk $dir/survivors.txt "$out/results"
