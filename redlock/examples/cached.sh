#!/bin/sh
# SPDX-License-Identifier: MIT
# cached.sh KEY COMMAND [ARGUMENT...] - print what COMMAND prints, from a cache in Redis that all hosts share;
# COMMAND runs once a period, however many ask:
#
#     export REDLOCK_URLS=redis://a CACHE_URL=redis://cache
#     cached.sh prices ./slow_query
#
# When CACHE_MS (60000) are over, one of those who ask makes the text anew; the others get the old one meanwhile,
# and nobody waits. Only where there is none yet they wait for it, 30 s at most. Two keys are the cache: KEY is
# the text, which stays, KEY:fresh ends with the period.
#
# What it does not do: a COMMAND that fails is tried again by whoever asks next. Should the lock be lost, COMMAND may
# run twice in a period, which costs only time; so one server for the lock is enough. An empty text is none.
#
# Exit status: 0 the text is printed, be it old; 1 there is none; else see redis-cli.
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: cached.sh KEY COMMAND [ARGUMENT...]' >&2
    exit 64
fi
key=$1 lock=refresh:$1

cache() {
    redis-cli -e --no-auth-warning -u "${CACHE_URL:-redis://127.0.0.1}" "$@"
}

if [ "${REDLOCK_LOCK-}" = "$lock" ]; then # this script again, under the lock
    [ "$(cache EXISTS "$key:fresh")" -eq 0 ] || exit 0 # somebody has made it since we looked
    shift
    text=$("$@")
    printf '%s' "$text" | cache -x SET "$key" >/dev/null
    cache SET "$key:fresh" 1 PX "${CACHE_MS:-60000}" >/dev/null
    exit
fi

if [ "$(cache EXISTS "$key:fresh")" -eq 0 ]; then
    wait=30s
    [ "$(cache EXISTS "$key")" -eq 0 ] || wait=0
    redlock run -q -w "$wait" -E 0 "$lock" -- sh "$0" "$@" || echo "cached.sh: $key is not made anew" >&2
fi
text=$(cache GET "$key")
printf '%s\n' "$text"
[ -n "$text" ]
