#!/bin/sh
# SPDX-License-Identifier: MIT
# leader.sh ROLE COMMAND [ARGUMENT...] - of all hosts that run this script, one is the leader and runs
# COMMAND. If COMMAND ends, or the leader dies or loses the lock, another host becomes the leader:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     while :; do leader.sh scheduler ./schedule; sleep 1; done
#
# LEADER_TTL (10s) is how long the others wait if the leader's host is gone. If this script is killed, the
# lock is released at once, because the standard input of `redlock hold` is closed. The script shows how to
# hold a lock while a script does other work. If it has no other work, `redlock run ROLE -- COMMAND` is
# simpler.
#
# What it does not protect against: if the lock cannot be renewed, COMMAND gets SIGTERM in time, but may
# ignore it. If this script is killed, COMMAND gets SIGTERM just after the lock is released, and may overlap
# with the next leader for a moment. `redlock run` is stricter: it sends SIGKILL, and its guardian does if it
# cannot. Processes that COMMAND starts in the background are not stopped.
#
# Exit status: that of COMMAND; 75 if the lock was lost, or 137 if `redlock hold` was stopped; if the lock was
# not acquired, see redlock(1).
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
exec 3>"$pipes/in" 4<"$pipes/out" # closing 3 releases the lock; 4 ends when it is lost
rm -r "$pipes"

status=0
if read -r _ <&4; then # the token: we are the leader
    work='' stopped=''
    trap 'stopped=1; [ -z "$work" ] || kill "$work" || :' HUP INT TERM # set before there is a process to stop
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
        [ $again -eq 127 ] || status=$again # 127: the last wait already had it
    done
    trap '' HUP INT TERM # nothing is left to stop
    kill "$watch" || :
fi
exec 3>&-
wait "$hold" || status=$?
exit $status
