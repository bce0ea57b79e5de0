#!/bin/sh
# SPDX-License-Identifier: MIT
# session.sh BUILD [--update] - the session in GUIDE.md is the output of these commands, except for the numbers: the demo on
# real servers, then status and doctor of three. --update: write it again, and redlock/doc/demo.svg with it.
set -eu
build=$1 guide=redlock/doc/GUIDE.md
export LC_ALL=C.UTF-8 # else the demo draws its pictures with other letters
dir=$(realpath "$(mktemp -d)")
started=

finish() {
    for port in $started; do
        redis-cli -p "$port" shutdown nosave 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap finish EXIT
# On a free port: the server that replies there must have our folder.
start() {
    port=${port:-7400}
    while :; do
        port=$((port + 1))
        [ "$port" -lt 7500 ]
        mkdir "$dir/$port"
        redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$dir/$port" --daemonize yes --appendonly yes \
            --appendfsync always --logfile "$dir/$port/log" >/dev/null
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            sleep 0.1
            here=$(redis-cli -p "$port" config get dir 2>/dev/null | tail -n 1)
            [ "$here" != "$dir/$port" ] || break
        done
        [ "$here" != "$dir/$port" ] || break
    done
    started="$started $port"
}

show() { # command: 1 is doctor with warnings only
    echo "\$ $1"
    PATH=$build:$PATH sh -c "$1" 2>&1 || [ $? -eq 1 ]
    echo
}

session() {
    echo "\$ make demo"
    "$build/demo"
    echo '$ export REDLOCK_RESTART_GUARD=off # these three have just started, and forget nothing'
    show 'redlock run nightly -c "sleep 1; redlock status nightly"' # by then the slowest has granted it, too
    redis-cli -p "$port" config set maxmemory 100mb >/dev/null
    redis-cli -p "$port" config set maxmemory-policy allkeys-lru >/dev/null
    show 'redlock doctor nightly'
}

start
start
start
REDLOCK_URLS=$(echo "$started" | sed "s,  *, redis://127.0.0.1:,g; s,^ ,,")
REDLOCK_RESTART_GUARD=off REDLOCK_OWNER=web-3:4711 # and not the name of this host
export REDLOCK_URLS REDLOCK_RESTART_GUARD REDLOCK_OWNER
session >"$dir/session" || { status=$?; cat "$dir/session"; exit $status; }

in_guide() {
    awk '/^<!-- session: make session -->/ { on = 1; next } /^<!-- end of session -->/ { on = 0 } on && !/^```/' $guide
}

# Without the pictures, numbers and ids.
shape() {
    grep -v '[█▇▆▅▄▃▂▁·─]' | sed -E 's/\b[0-9a-f]{8}\b/0/g; s/[0-9]+/0/g; s/(0[. ]*)+/0 /g; s/ +/ /g; s/ $//' | grep -v '^$'
}

if [ "${2:-}" = --update ]; then
    awk -v new="$dir/session" '
        /^<!-- session: make session -->/ { print; print "```text"; while ((getline line < new) > 0) { sub(/ +$/, "", line); print line }; on = 1 }
        /^<!-- end of session -->/ { print "```"; on = 0 }
        !on' $guide >"$dir/guide"
    cp "$dir/guide" $guide
    cp "$build/demo.svg" redlock/doc/demo.svg
    exit
fi
in_guide | shape >"$dir/shown"
shape <"$dir/session" | diff "$dir/shown" - || {
    echo "$guide: its session is not what is printed: make session" >&2
    exit 1
}
echo "the session in $guide is what is printed"
