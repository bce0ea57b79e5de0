#!/bin/sh
# SPDX-License-Identifier: MIT
# references.sh - comments, documents and scripts name nothing that does not exist: files (words like net.h and
# ../net/net.h), what begins with rdl_ or RDL_ (rdl_lock_: all names that begin so), functions (poll()), other names with an
# underscore (members, tests, mutants), the tests of a mutant, the sections of DESIGN.md. No two tests have the same name.
# Names that are not of this tree are in references.txt. Each rule of DESIGN.md is cited by a test or a mutant ("Rules R1 and R2.",
# "# FILE: R1: ..."), and each cited rule exists, also in the models' run.sh. The table of SOUNDNESS.md has these citations; --write
# fills it instead. Exit status 1: there is a finding; each is a line.
set -eu
here=tests/house
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
soundness=redlock/doc/SOUNDNESS.md
LC_ALL=C
export LC_ALL # the order of files
awk -f $here/soundness.awk tests/sim/model/run.sh tests/*/*.c tests/sim/mutants/*.sed tests/cli/mutants/*.sed redlock/DESIGN.md \
    $soundness >"$dir/soundness"
if [ "${1-}" = --write ]; then
    cat "$dir/soundness" >$soundness
    exit
fi
git ls-files --cached --others --exclude-standard >"$dir/files"
# History, and what is data or bytes.
grep -vE '^\.(editorconfig|git|clang)|^CHANGELOG\.md$|/corpus/|/golden/|/vectors/|\.svg$|\.dot$|\.tsv$|/references\.txt$|^LICENSE$' \
    "$dir/files" | tr '\n' '\0' | xargs -0 awk -f $here/references.awk "$dir/files" $here/references.txt

sed -n 's/^- \*\*\(R[0-9]*\)\*\* .*/\1/p' redlock/DESIGN.md | sort >"$dir/rules"
{
    grep -rhE 'Rules? R[0-9]' tests --include='*.c' | grep -oE '\bR[0-9]+\b'
    grep -rhoE '^# [^ ]+: R[0-9]+: ' tests --include='*.sed' | grep -oE '\bR[0-9]+\b'
} | sort -u >"$dir/cited"
comm -23 "$dir/rules" "$dir/cited" | sed 's/$/: redlock\/DESIGN.md has this rule, and no test or mutant cites it/' >"$dir/missing"
sed -n 's/^M[0-9]* \(R[^ ]*\) .*/\1/p' tests/sim/model/run.sh | tr , '\n' | sort -u - "$dir/cited" |
    comm -13 "$dir/rules" - | sed 's/$/: a test, mutant or model cites this rule, and redlock\/DESIGN.md has none/' >>"$dir/missing"
cmp -s "$dir/soundness" $soundness ||
    echo "$soundness: not what tests, mutants and models cite; run $here/references.sh --write" >>"$dir/missing"
cat "$dir/missing"
[ ! -s "$dir/missing" ]
