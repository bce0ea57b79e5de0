#!/bin/sh
# SPDX-License-Identifier: MIT
# bench_wait.sh PROGRAM: runs it against a redis-server of its own, on a unix socket.
set -eu
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$dir"' EXIT
redis-server --port 0 --unixsocket "$dir/s" --save '' --appendonly no --dir "$dir" --loglevel warning >"$dir/log" &
server=$!
n=0
until redis-cli -s "$dir/s" PING >/dev/null 2>&1; do
    n=$((n + 1))
    [ "$n" -lt 100 ] || { cat "$dir/log"; exit 1; }
    sleep 0.05
done
"$1" "$dir/s"
