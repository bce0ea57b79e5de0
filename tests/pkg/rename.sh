#!/bin/sh
# SPDX-License-Identifier: MIT
# rename.sh BUILD - redlock/pkg/rename-0.2.sed turns a program with the old names into one that compiles: before, it
# does not compile. It keeps its spaces, and a second run does not change it.
set -eu
build=$1
sed='redlock/pkg/rename-0.2.sed' old=tests/pkg/before_0_2.txt new=$build/renamed.c
compiles() {
    ${CC:-cc} -std=c99 -Wall -Wextra -Werror -I. -fsyntax-only -x c "$1"
}
if compiles $old 2>/dev/null; then echo "rename.sh: the old names compile"; exit 1; fi
sed -f $sed $old >"$new"
compiles "$new"
sed -f $sed "$new" | cmp - "$new"
# Each rule is used: without it the program does not compile.
rules=$(grep -c '^s/ \(rdl\|RDL\|\\\.\)' $sed)
for n in $(seq "$rules"); do
    awk -v n="$n" '/^s\/ (rdl|RDL|\\\.)/ && ++i == n { next } { print }' $sed >"$build/rename-less.sed"
    sed -f "$build/rename-less.sed" $old >"$build/renamed-less.c"
    if compiles "$build/renamed-less.c" 2>/dev/null; then
        echo "rename.sh: no test of rule $n of $sed"
        exit 1
    fi
done
echo "rename: a program with the old names compiles after $rules rules"
