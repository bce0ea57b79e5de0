#!/bin/sh
# SPDX-License-Identifier: MIT
# port.sh BUILD - check-port can fail: each driver of tests/port/broken/, which breaks one rule, is found, and
# by that rule. BUILD/port/port.a is the harness and net_stream.c, without a driver.
# port.sh --one BUILD NAME: one of them.
# port.sh --rules: each rule of port_rules.c has a broken driver, and the example of net/PORTING.md is that of
# lock/examples/small_chunks.c.
set -u
# shellcheck source=tests/house/mutate.sh
. tests/house/mutate.sh
dir=tests/port/broken

around() { # build file: the files that the driver needs
    sockets="net/net_posix.c net/net_posix_poll.c net/net_posix_process.c net/net_posix_clock.c"
    case $2 in
    net/net_stream.c) echo tests/port/port_small.c "$1/port/stream_example.c" "$sockets" ;; # with the smallest buffer
    net/net_uring.c) echo tests/port/port_uring.c "$sockets" ;;
    net/*) echo tests/port/port_posix.c "$sockets" | sed "s,$2,," ;;
    lock/*) echo tests/port/line_uart.c "$1/lib/tests/port/line_cases.o" "${2%/*}/clock.c" "${2%/*}/unique.c" ;;
    esac
}

# shellcheck disable=SC2046 # a list of files
try() { # build name
    out=$1/port/broken/$2
    mkdir -p "$out"
    file=$(mutated_file "$dir" "$2")
    rule=$(sed -n '2s/^# [^:]*: rule \([0-9]*\): .*/\1/p' "$dir/$2.sed")
    if ! mutate "$dir" "$2" . "$out/driver.c"; then
        printf '%-28s DOES NOT APPLY\n' "$2"
    elif ! ${CC:-cc} -std=c99 -O1 -g -w -I. -I"$(dirname "$file")" -o "$out/check" "$out/driver.c" \
        $(around "$1" "$file") "$1/port/port.a" 2>"$out/cc.log"; then
        printf '%-28s DOES NOT COMPILE: %s\n' "$2" "$(grep -m1 error "$out/cc.log")"
    else
        "$out/check" 3 first >"$out/log" 2>&1
        if grep -q '^NOT CHECKED: ' "$out/log"; then
            printf '%-28s NOT CHECKED: %s\n' "$2" "$(sed -n 's/^NOT CHECKED: //p; T; q' "$out/log")"
        elif grep -q "^        rule $rule: " "$out/log"; then
            printf '%-28s rule %-2s  %s\n' "$2" "$rule" "$(sed -n 's/^BROKEN  //p' "$out/log")"
        else
            printf '%-28s NOT FOUND, rule %s: %s\n' "$2" "$rule" "$(grep '^        rule' "$out/log")"
        fi
    fi
}

case ${1-} in
--one)
    try "$2" "$3"
    exit
    ;;
--rules)
    example=$(mktemp) && trap 'rm -f "$example"' EXIT
    # shellcheck disable=SC2016 # the marks of a block of code
    sed -n '/^```c$/,/^```$/p' net/PORTING.md | sed '/^```/d' >"$example"
    sed -n '/^#define _POSIX/,/^static const struct rdl_stream_ops/p' lock/examples/small_chunks.c | diff "$example" - || {
        echo "lock/examples/small_chunks.c does not have the example of net/PORTING.md"
        exit 1
    }
    awk -F '"' '/^    \[PORT_/ { n++ } n && NF > 1 { print n, $2 }' tests/port/port_rules.c |
        while read -r number text; do
            grep -lq "^# [^:]*: rule $number: " "$dir"/*.sed || {
                echo "no driver of $dir breaks rule $number: $text"
                exit 1
            }
        done
    exit
    ;;
esac
build=$1
rm -rf "$build/port/broken"
mkdir -p "$build/port/broken"
mutants_in "$dir" |
    xargs -I '{}' -P "${JOBS:-4}" "$0" --one "$build" '{}' | tee "$build/port/broken/results"
found=$(grep -c ' rule [0-9]* *[a-z]' "$build/port/broken/results")
all=$(find "$dir" -name '*.sed' | wc -l)
unchecked=$(grep -c ' NOT CHECKED: ' "$build/port/broken/results") # this host refuses what they need
echo "$found of $all broken drivers found, each by the rule that it breaks"
[ "$unchecked" -eq 0 ] || echo "NOT CHECKED: $unchecked broken drivers"
[ "$((found + unchecked))" -eq "$all" ] && ! grep -qE 'NOT FOUND|DOES NOT' "$build/port/broken/results"
