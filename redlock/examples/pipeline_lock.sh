#!/bin/sh
# SPDX-License-Identifier: MIT
# pipeline_lock.sh begin | step COMMAND [ARGUMENT...] | end - run one pipeline at a time, whose steps are
# separate processes on the same host:
#
#     export PIPELINE_LOCK=staging PIPELINE_TOKEN=$WORKSPACE/lock.token
#     pipeline_lock.sh begin                # waits for its turn, at most PIPELINE_WAIT (1h)
#     pipeline_lock.sh step make test
#     pipeline_lock.sh step make deploy
#     pipeline_lock.sh end
#
# The steps share the token in the file, which only its owner can read. Each step first renews the lease for
# PIPELINE_TTL (10m). If a step fails, the lock is released. If the end is forgotten, or the host dies, the
# lease expires after this time. All clients of the servers need a --max-ttl of this length, see redlock(1).
#
# What it does not protect against: the lease is not renewed within a step. A step that takes longer than
# PIPELINE_TTL works on without the lock; the next step, or the end, reports this and fails. If one process
# can do the work of a step, `redlock run` is better: it stops the process in time.
#
# Exit status: of a step that of COMMAND; 1 begin: another pipeline holds the lock; step, end: the lock is not
# held any more, and the step was not started; 66 there is no token: begin did not run, or a step failed;
# otherwise see redlock(1).
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
    release || : # redlock has printed the reason
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
