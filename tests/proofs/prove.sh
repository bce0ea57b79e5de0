#!/bin/sh
# SPDX-License-Identifier: MIT
# prove.sh OUT [eva|slice|wp|writer]... - prove the parser and the writer (README.md says which claims), these
# steps at the same time, and each for all machines. Run from the top of the tree.
# Exit status 1: an alarm, or a goal that was not proved. RESP=DIR proves the copy of resp/ that is in DIR.
# EVA: more options for it. WP_PARSE: options with which wp proves a part of the parser, and nothing else. WP_WRITER: the
# functions that writer proves, and nothing else, for WRITER_MACHINES. ALL_MACHINES=1: the slices for 32-bit x86 too, which
# adds to the others that it is both 32-bit and little-endian.
#
# Lists of options are split into words on purpose, and steps are called by name:
# shellcheck disable=SC2015,SC2086,SC2317
set -u
out=$1
shift
[ $# -gt 0 ] || set -- eva slice wp writer
top=$PWD
here=$top/tests/proofs
tree=${RESP:-.}
mkdir -p "$out/plain/resp"
out=$(cd "$out" && pwd)
rm -f "$out/failed"
tree=$(cd "$tree" && pwd)

# Eva reads the parser without its contracts, so that it assumes none of them. A split is no contract: it makes
# Eva follow each result separately.
for file in "$tree"/resp/*.[ch]; do
    sed 's,/\*@,/* ,; /\/\/@ split/!s,//@,// ,' "$file" >"$out/plain/resp/${file##*/}"
done

eva() { # name machdep driver includes option...
    name=$1 machine=$2 driver=$3 include=$4
    shift 4
    began=$(date +%s)
    # In that directory: Frama-C's preprocessor searches the current one first.
    (cd "$include" && frama-c -machdep "$machine" -cpp-extra-args="-DNDEBUG -idirafter $top" "$here/$driver" -eva \
        -warn-unsigned-overflow -eva-no-results ${EVA:-} "$@") >"$out/$name.log" 2>&1
    alarms=$(sed -n 's/^ *\([0-9]*\) alarms\{0,1\} generated.*/\1/p' "$out/$name.log")
    unknown=$(sed -n 's/^ *Assertions *[0-9]* valid *\([0-9]*\) unknown *\([0-9]*\) invalid.*/\1 \2/p' "$out/$name.log")
    printf 'eva %-24s %s alarms, assertions unknown and invalid: %s (%d s)\n' "$name" "${alarms:-?}" \
        "${unknown:-?}" $(($(date +%s) - began))
    [ "${alarms:-1}" = 0 ] && [ "${unknown:-1}" = '0 0' ] || {
        grep -A2 -E 'eva:alarm|user error' "$out/$name.log" | head -20
        touch "$out/failed"
    }
}

all_eva() {
    for machine in gcc_x86_64 gcc_x86_32 ppc_32; do
        eva "parse-$machine" $machine eva_parse.c "$out/plain" -eva-precision 2 -eva-split-return full -eva-domains octagon \
            -eva-octagon-through-calls &
    done
    eva digit gcc_x86_64 eva_digit.c "$out/plain" -eva-slevel 300
    wait
}

# The list of templates is the tests'. They are data, without contracts.
commands="$top/net/net_commands.c $top/lock/lock_commands.c $top/redlock/redlock_commands.c $top/redlock/easy/sentinel_commands.c $top/redlock/cli/servers/commands.c"
all_slice() {
    for machine in gcc_x86_64 ppc_32 ${ALL_MACHINES:+gcc_x86_32}; do
        eva "slice-$machine" $machine eva_slice.c "$out/plain" resp/resp_slice.c resp/resp_bytes.c resp/resp_decimal.c \
            $commands \
            -eva-precision 0 -eva-slevel 100000 -eva-auto-loop-unroll 20 &
    done
    wait
}

wp() { # name machdep file option...
    name=$1 machine=$2 file=$3
    shift 3
    began=$(date +%s)
    (cd "$tree" && frama-c -machdep "$machine" -cpp-extra-args="-DNDEBUG" "$file" -wp -wp-rte \
        -warn-unsigned-overflow -wp-prover cvc4 -wp-timeout "${TIMEOUT:-60}" -wp-par 2 -wp-cache none "$@") >"$out/$name.log" 2>&1
    goals=$(sed -n 's/.*Proved goals: *\([0-9]* \/ [0-9]*\).*/\1/p' "$out/$name.log" | tail -1)
    printf 'wp  %-24s proved goals: %s (%d s)\n' "$name" "${goals:-?}" $(($(date +%s) - began))
    [ -n "$goals" ] && [ "${goals% /*}" = "${goals#*/ }" ] || {
        grep -E 'Timeout|Unknown|Failed|user error' "$out/$name.log" | head -20
        touch "$out/failed"
    }
}

# The contract of digit() is about bits: Eva has shown all its cases.
all_wp() {
    wp parse gcc_x86_64 resp/resp_parse.c -wp-skip-fct digit,rdl_resp_next ${WP_PARSE:-}
    [ -n "${WP_PARSE:-}" ] || wp next gcc_x86_64 resp/resp_parse.c -wp-fct rdl_resp_next -wp-split
    [ -n "${WP_PARSE:-}" ] || wp decimal gcc_x86_64 resp/resp_decimal.c
}

# head() makes a pointer to its digits a pointer to characters, which is for another memory model. rdl_copy's
# effect, copy(), is assumed; templates are proved by Eva.
all_writer() {
    for machine in ${WRITER_MACHINES:-gcc_x86_64 gcc_x86_32}; do
        wp "writer-$machine" $machine resp/resp_slice.c -wp-fct ${WP_WRITER:-write_bytes,write_arg}
        [ -n "${WP_WRITER:-}" ] || wp "head-$machine" $machine resp/resp_slice.c -wp-fct head -wp-model Typed+Cast
    done
}

export WHY3CONFIG="$out/why3.conf"
why3 config detect >"$out/why3.log" 2>&1
for what; do
    all_"$what" & # each needs one processor, or little more
done
wait
[ ! -e "$out/failed" ]
