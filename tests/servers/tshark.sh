#!/bin/bash
# SPDX-License-Identifier: MIT
# tshark.sh BUILD - an independent decoder accepts the bytes between the command and a real server, in each
# mode and with each method: tshark decodes all of them, with no malformed frame.
# The bytes are recorded by BUILD/relay, which needs no right to capture.
set -euo pipefail
build=$1
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT

# rung: a user for whom only WATCH is left, on a server of any version
redis-server --port 0 --unixsocket "$dir/server" --dir "$dir" --save '' --requirepass secret \
    --user rung on '>secret' '~*' -@all +auth +select +client +info +time +set +get +pttl +watch +multi \
    +exec +discard +del +pexpire +setnx +getset >"$dir/server.log" &
pids+=($!)
until grep -qis "ready to accept connections" "$dir/server.log"; do
    kill -0 "${pids[0]}"
    sleep 0.05
done
mkfifo "$dir/stop"
"$build/relay" "$dir/server" "$dir/run.pcap" <"$dir/stop" >"$dir/port" &
relay=$!
pids+=("$relay")
exec 9>"$dir/stop"
until [ -s "$dir/port" ]; do
    kill -0 "$relay"
    sleep 0.05
done
at=127.0.0.1:$(head -n 1 "$dir/port")

run() { # user -q|-v option... lock -- command...
    local user=$1 loud=$2
    shift 2
    "$build/redlock" run "$loud" --ttl 10s --attempt 2s --restart-guard off -u "redis://$user:secret@$at/3" \
        "$@"
}

renewed() { # times user option... lock: the command ends after this number of renewals
    local wait="until [ \$(grep -c ' renewed\$' '$dir/messages') -ge $1 ]; do sleep 0.05; done"
    run "$2" -v "${@:3}" -- sh -c "$wait" 2>"$dir/messages" || { cat "$dir/messages"; exit 1; }
}

renewed 2 '' nightly # by EVAL, then by EVALSHA
renewed 1 rung nightly
run '' -q --fence nightly -- true
renewed 1 '' --legacy always legacy
run rung -q --legacy always legacy -- true
# Two clients want the lock: one is refused, waits for the hint, and gets it.
run '' -q --wake-hint hinted -- sh -c "touch '$dir/held'
    until redis-cli -s '$dir/server' -a secret info 2>&1 | grep -q blocked_clients:1; do sleep 0.05; done" &
first=$!
until [ -e "$dir/held" ]; do
    kill -0 "$first"
    sleep 0.05
done
run '' -q --wake-hint hinted -- true
wait "$first"
# It waits until the server is old enough for its votes to count.
run '' -q --restart-guard required --max-ttl 10s nightly -- true
exec 9>&-
wait "$relay"

show() { # filter option...
    local filter=$1
    shift
    tshark -r "$dir/run.pcap" -Y "$filter" "$@" 2>"$dir/tshark.log" || { cat "$dir/tshark.log" >&2; exit 1; }
}
# The dissector calls bytes a fragment if it does not find the beginning of a value in them.
bad=$(show '_ws.malformed || resp.malformed_length || resp.array_recursion_too_deep || resp.fragment ||
    resp.partial || (tcp.len > 0 && !resp && !tcp.reassembled_in) || (resp && _ws.expert.severity >= "Warning")')
frames=$(show resp | wc -l)
# The words of all requests, each in hexadecimal.
show 'tcp.dstport == 6379' -T fields -E aggregator=' ' -e resp.bulk_string.value | tr ' ' '\n' |
    sort -u >"$dir/words"
missing=
for word in AUTH SELECT SET PTTL EVALSHA INFO WATCH GET MULTI DEL EXEC TIME SETNX BLPOP PEXPIRE; do
    grep -qx "$(printf %s "$word" | od -An -tx1 | tr -d ' \n')" "$dir/words" || missing+=" $word"
done
[ -z "$bad" ] || { echo "$bad"; show resp -V | tail -40; }
[ -z "$missing" ] || echo "not seen:$missing"
[ -z "$bad$missing" ] && [ "$frames" -gt 50 ] && echo "tshark: $frames frames of RESP, none malformed"
