#!/bin/sh
# SPDX-License-Identifier: MIT
# cached.sh KEY COMMAND [ARGUMENT...] - print what COMMAND prints, from a cache in Redis that all hosts share.
# COMMAND runs once a period, however many clients read the text:
#
#     export REDLOCK_URLS=redis://a CACHE_URL=redis://cache
#     cached.sh prices ./slow_query
#
# When CACHE_MS (60000) are over, one of the clients makes the text again. The others get the old text without
# waiting. Only if there is no text yet, they wait for it, at most 30 s. The cache has two keys: KEY is the
# text and does not expire; KEY:fresh expires with the period.
#
# What it does not protect against: if COMMAND fails, the next client tries again. If the lock is lost,
# COMMAND may run twice in a period. That costs only time, so one server is enough for the lock. An empty text
# counts as none.
#
# Exit status: 0 the text was printed, possibly an old one; 1 there is none; otherwise see redis-cli.
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
    [ "$(cache EXISTS "$key:fresh")" -eq 0 ] || exit 0 # another client made it after our first check
    shift
    text=$("$@")
    printf '%s' "$text" | cache -x SET "$key" >/dev/null
    cache SET "$key:fresh" 1 PX "${CACHE_MS:-60000}" >/dev/null
    exit
fi

if [ "$(cache EXISTS "$key:fresh")" -eq 0 ]; then
    wait=30s
    [ "$(cache EXISTS "$key")" -eq 0 ] || wait=0
    redlock run -q -w "$wait" -E 0 "$lock" -- sh "$0" "$@" ||
        echo "cached.sh: $key was not computed again" >&2
fi
text=$(cache GET "$key")
printf '%s\n' "$text"
[ -n "$text" ]
