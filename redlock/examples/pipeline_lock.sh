#!/bin/sh
# SPDX-License-Identifier: MIT
# pipeline_lock.sh begin | step COMMAND [ARGUMENT...] | end - one pipeline at a time, whose steps are processes
# of their own, on the same host:
#
#     export PIPELINE_LOCK=staging PIPELINE_TOKEN=$WORKSPACE/lock.token
#     pipeline_lock.sh begin                # waits for its turn, PIPELINE_WAIT (1h) at most
#     pipeline_lock.sh step make test
#     pipeline_lock.sh step make deploy
#     pipeline_lock.sh end
#
# The token in the file, which only its owner can read, makes them one holder. Each step makes the lease last for
# PIPELINE_TTL (10m) from its beginning. A step that fails releases the lock; where the end is forgotten, or the
# host dies, it ends with that time. Who shares the servers gives a --max-ttl of as much, see redlock(1).
#
# What it does not do: nothing renews the lease within a step, so one that takes longer than PIPELINE_TTL works
# on without the lock; the next step, or the end, says so and fails. A step whose work can be done by one process
# is better off with `redlock run`, which stops it in time.
#
# Exit status: of a step COMMAND's own; 1 begin: another pipeline has the lock; step, end: it is not ours any
# more, and the step was not begun; 66 there is no token: it was not begun, or a step failed; else see redlock(1).
set -eu

lock=${PIPELINE_LOCK:?a name for the lock} token=${PIPELINE_TOKEN:?a file for the token}
ttl=${PIPELINE_TTL:-10m}

release() {
    released=0
    redlock release --token-file "$token" "$lock" || released=$?
    rm -f "$token"
    return $released
}

case ${1-} in
begin)
    redlock acquire -w "${PIPELINE_WAIT:-1h}" --ttl "$ttl" --token-file "$token" "$lock"
    ;;
step)
    shift
    redlock extend --ttl "$ttl" --token-file "$token" "$lock"
    "$@" && exit
    status=$?
    release || : # redlock has said why not
    exit $status
    ;;
end)
    release
    ;;
*)
    echo 'usage: pipeline_lock.sh begin | step COMMAND [ARGUMENT...] | end' >&2
    exit 64
    ;;
esac
