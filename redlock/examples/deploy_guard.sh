#!/bin/sh
# SPDX-License-Identifier: MIT
# deploy_guard.sh TARGET COMMAND [ARGUMENT...] - run one deployment of TARGET at a time. A later one prints
# who is deploying, and exits:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     deploy_guard.sh shop make deploy
#     deploy_guard.sh: shop: anna@build1 is deploying: make deploy
#
# A deployment that takes longer than DEPLOY_MAX (15m) is stopped. The lock has only an id of its holder.
# So the holder writes a note with this id and a name to the server DEPLOY_NOTES (by default the first of
# REDLOCK_URLS). A note with another id is ignored. The name is DEPLOY_WHO, by default user@host.
#
# What it does not protect against: deployments without this script. If COMMAND has started something
# elsewhere, such as a roll-out that continues by itself, that is not stopped. If the note cannot be written,
# only the id is printed.
#
# Exit status: that of COMMAND. 80: another deployment is running, and nothing was done. 124: it took too long
# and was stopped. 75: the lock was lost, and it was stopped. For others see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: deploy_guard.sh TARGET COMMAND [ARGUMENT...]' >&2
    exit 64
fi
target=$1 lock=deploy:$1
urls=${REDLOCK_URLS:-redis://127.0.0.1}

note() {
    redis-cli -e --no-auth-warning -u "${DEPLOY_NOTES:-${urls%%[[:space:]]*}}" "$@"
}

if [ "${REDLOCK_LOCK-}" = "$lock" ]; then # this script again, under the lock
    shift
    who=${DEPLOY_WHO:-$(id -un)@$(uname -n)}
    note SET "$lock:by" "$REDLOCK_ID $who is deploying: $*" EX 86400 >/dev/null || :
    exec "$@"
fi

status=0
redlock run -nq -E 80 --max-hold "${DEPLOY_MAX:-15m}" "$lock" -- sh "$0" "$@" || status=$?
if [ $status -eq 80 ]; then
    held=$(redlock status "$lock" | tail -n 1)
    by=$(note GET "$lock:by") || by=
    case $held in
    *" (${by%% *}) on "*) echo "deploy_guard.sh: $target: ${by#* }" >&2 ;;
    *) echo "deploy_guard.sh: $held" >&2 ;;
    esac
fi
exit $status
