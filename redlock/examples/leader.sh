#!/bin/sh
# SPDX-License-Identifier: MIT
# leader.sh ROLE COMMAND [ARGUMENT...] - of all hosts that run this one is the leader and runs COMMAND; the others
# stand by. When it ends, dies or loses the lock, another one becomes the leader:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     while :; do leader.sh scheduler ./schedule; sleep 1; done
#
# LEADER_TTL (10s) is how long the others wait when the leader's host is gone. When this script is killed the
# lock is free at once, as `redlock hold` sees the end of its input. It shows how a script holds a lock beside
# what it does; where it is to do nothing else `redlock run ROLE -- COMMAND` is simpler.
#
# What it does not do: COMMAND gets SIGTERM in time when the lock cannot be renewed, and nothing makes it obey.
# Where this script is killed COMMAND gets it only just after the lock is free, and may overlap with the next
# leader for a moment. `redlock run` is stricter: it has SIGKILL, and a guardian. What COMMAND starts in the
# background is its own business.
#
# Exit status: COMMAND's own; 75 if the lock was lost; if it was not had, see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: leader.sh ROLE COMMAND [ARGUMENT...]' >&2
    exit 64
fi
role=$1
shift

pipes=$(mktemp -d)
mkfifo "$pipes/in" "$pipes/out"
redlock hold --ttl "${LEADER_TTL:-10s}" "leader:$role" <"$pipes/in" >"$pipes/out" &
hold=$!
exec 3>"$pipes/in" 4<"$pipes/out" # 3: the lock is held until that is closed; 4: until that ends
rm -r "$pipes"

status=0
if read -r _ <&4; then # its token: we are the leader
    work='' stopped=''
    trap 'stopped=1; [ -z "$work" ] || kill "$work" || :' HUP INT TERM # before there is something to stop
    "$@" 3>&- 4<&- &
    work=$!
    [ -z "$stopped" ] || kill "$work" || : # it may have ended by then
    { cat >/dev/null; kill "$work"; } <&4 3>&- 2>/dev/null & # the lock is lost, or we are gone
    watch=$!
    stopped=''
    wait "$work" || status=$?
    while [ -n "$stopped" ]; do # a signal ends wait early: the next wait has COMMAND's status
        stopped='' again=0
        wait "$work" 2>/dev/null || again=$?
        [ $again -eq 127 ] || status=$again # 127: the last wait had it already
    done
    trap '' HUP INT TERM # nothing is left to stop
    kill "$watch" || :
fi
exec 3>&-
wait "$hold" || status=$?
exit $status
