#!/bin/sh
# SPDX-License-Identifier: MIT
# counterexamples.sh BUILD [WORD] - runs the counterexamples, all or those whose text contains WORD. But for the times,
# redlock/doc/ASSUMPTIONS.md must show what all of them print.
set -eu
build=$1 out=$1/counterexamples.txt page=redlock/doc/ASSUMPTIONS.md
shift
status=0
RDL_COMMAND=$build/lib/bin/redlock RDL_STEP_CLOCK=$PWD/$build/step_clock.so "$build/counterexamples" "$@" >"$out" || status=$?
cat "$out"
[ "$status" -eq 0 ] && [ $# -eq 0 ] || exit "$status"
sed '/^|/s/[^|]*|$//' "$out" >"$out.shown"
sed -n '/^| what happens/,$p' "$page" | diff - "$out.shown" || {
    echo "$page: it does not show what happened"
    exit 1
}
