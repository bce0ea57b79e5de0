#!/bin/bash
# SPDX-License-Identifier: MIT
# proxies.sh COMMAND - what the guide says of two proxies is true of Debian's: twemproxy is refused, in words that
# name a proxy; over HAProxy locks work, and with two servers behind one address two clients hold the same lock.
set -euo pipefail
command=$PWD/$1
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"

for i in 1 2; do
    redis-server --port 0 --unixsocket "$dir/server$i" --dir "$dir" --save '' >"server$i.log" &
    pids+=($!)
done
cat >nutcracker.yml <<END
pool:
  listen: $dir/twemproxy
  redis: true
  servers:
  - $dir/server1:1 server1
END
nutcracker -c nutcracker.yml -a 127.0.0.1 -s "$((20000 + $$ % 10000))" -o nutcracker.log &
pids+=($!)
cat >haproxy.cfg <<END
defaults
  mode tcp
  timeout connect 5s
  timeout client 1m
  timeout server 1m
listen one
  bind unix@$dir/one
  server server1 unix@$dir/server1
listen two
  bind unix@$dir/two
  balance roundrobin
  server server1 unix@$dir/server1
  server server2 unix@$dir/server2
END
haproxy -db -f haproxy.cfg >haproxy.log 2>&1 &
pids+=($!)
for socket in server1 server2 twemproxy one two; do
    until [ -S "$socket" ]; do
        for pid in "${pids[@]}"; do kill -0 "$pid"; done
        sleep 0.05
    done
done
export REDLOCK_RESTART_GUARD=off

expect() { # STATUS TEXT ARGUMENT...: the command's status, and what it prints
    status=0
    out=$("$command" "${@:3}" 2>&1) || status=$?
    [ "$status" -eq "$1" ] && [[ $out == *"$2"* ]] && return
    echo "proxies.sh: redlock ${*:3}: status $status, not $1, or without \"$2\":"
    echo "$out"
    exit 1
}
closed='the connection was closed before the reply to INFO (is it a proxy?)'
expect 69 "$closed" doctor -u "unix://$dir/twemproxy" nightly
expect 69 "$closed" run -n -u "unix://$dir/twemproxy" nightly true
expect 1 'can release by script, WATCH' doctor -u "unix://$dir/one" nightly # 1: the guard is off
expect 0 '' acquire -n -u "unix://$dir/one" nightly
expect 1 'held by' run -n -u "unix://$dir/one" nightly true
expect 0 '' acquire -n -u "unix://$dir/two" weekly
expect 0 '' acquire -n -u "unix://$dir/two" weekly # the other server: two holders
echo "proxies: twemproxy is refused; HAProxy works with one server, and grants a lock twice with two"
