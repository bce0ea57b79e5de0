#!/bin/sh
# SPDX-License-Identifier: MIT
# seeds.sh OUT - the proofs can fail: each of four bugs in the parser and two in the writer,
# in a copy of resp/, must make one of them fail, and by an alarm or an open goal.
set -u
out=$1
missed=0

seed() { # name file sed-script prover [the function that WP proves, instead of all]
    tree=$out/seed/$1
    rm -rf "$tree" && mkdir -p "$tree/resp" && cp resp/*.[ch] "$tree/resp/"
    sed "$3" "resp/$2" >"$tree/resp/$2"
    began=$(date +%s)
    if [ "$(diff "resp/$2" "$tree/resp/$2" | grep -c '^>')" != 1 ]; then
        echo "seed $1: its line is not once in $2 any more"
        missed=1
    elif RESP=$tree WP_PARSE="${5:+-wp-fct $5}" WP_WRITER="${5:-}" WRITER_MACHINES=gcc_x86_64 TIMEOUT=10 \
        EVA='-eva-stop-at-nth-alarm 1' tests/proofs/prove.sh "$out/$1" "$4" >"$out/$1.log" 2>&1; then
        echo "seed $1: proved all the same"
        missed=1
    elif grep -qE 'eva:alarm|Goal typed_.*(Timeout|Unknown)' "$out/$1.log"; then
        echo "seed $1: found by $4 ($(($(date +%s) - began)) s)"
    else
        echo "seed $1: the prover broke down"
        cat "$out/$1.log"
        missed=1
    fi
}

mkdir -p "$out"
seed due resp_parse.c 's/p->due = due - 1;/p->due = due - 2;/' eva
seed overflow resp_parse.c 's/(uint64_t)INT64_MAX + p->neg/(uint64_t)INT64_MAX + 1 + p->neg/' wp next_digit
seed over-read resp_parse.c 's/while (at < len \&\& p/while (at <= len \&\& p/' eva
seed used resp_parse.c '/p->state = ST_TYPE;/{n;s/i++;/i += 2;/;}' wp take_text
seed room resp_slice.c 's/    if (n > w->room)/    if (n > w->room + 1)/' writer write_bytes
seed whole resp_slice.c 's/w->room >= HEAD_MAX + len + 2/w->room >= HEAD_MAX + len - 8/' slice
exit $missed
