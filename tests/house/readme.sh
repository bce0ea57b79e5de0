#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh BUILD - the README's first program, as it stands there: it compiles without a warning, takes
# and releases its lock on a server, says what is wrong without one; and it begins within 30 lines.
set -eu
# shellcheck source=tests/house/standin.sh
. "$(dirname "$0")/standin.sh"
build=$1
dir=$(mktemp -d "$build/readme.XXXXXX")
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -rf "$dir"' EXIT

awk -f "$(dirname "$0")/first.awk" README.md >"$dir/first.c"
[ -s "$dir/first.c" ]

begin_standin "$build/standin" "$dir"

compile() { # program: of $dir/$1.c
    ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -I. "$dir/$1.c" "$build/libredlock.a" -o "$dir/$1"
}
compile first
sed "s/127\.0\.0\.1:6379/127.0.0.1:$port/" "$dir/first.c" >"$dir/here.c"
compile here
sed 's/127\.0\.0\.1:6379/127.0.0.1:1/' "$dir/first.c" >"$dir/nobody.c"
compile nobody

ms=$("$dir/here" | sed -n 's/^ours for \([0-9]*\) ms$/\1/p')
[ "${ms:-0}" -gt 0 ]
[ "$ms" -lt 10000 ] # its ttl
if "$dir/nobody" >"$dir/said"; then
    exit 1
fi
grep -q '^no lock: cannot connect$' "$dir/said"
echo "the README's program compiles and runs"
