#!/bin/sh
# SPDX-License-Identifier: MIT
# cron_once.sh JOB COMMAND [ARGUMENT...] - the crontabs of several hosts have the same line, and each time one
# of the hosts runs it:
#
#     REDLOCK_URLS=redis://a redis://b redis://c
#     30 3 * * *  /usr/local/bin/cron_once.sh nightly /usr/local/bin/backup --all
#
# The first host that takes the lock runs the job, so any host may be down. CRON_APART (25s) is the longest
# time between the hosts' starts: more than their clocks differ, less than the time from one run to the next.
# The lock is kept for this time even if the job is shorter; otherwise a host whose clock is slow would run
# it again. A job that takes longer is not started a second time. If it is above 30 s, all clients of the
# servers need a --max-ttl of this length, see redlock(1).
#
# What it does not protect against: if a job fails, or its host dies, no host tries again before the next
# time. A host that starts later than CRON_APART runs the job a second time. If no majority of the servers
# replies, no host runs the job; that is an error, and cron mails it.
#
# Exit status: that of the job; 0 if another host runs or ran it; 75 if the lock was lost and the job was
# stopped; otherwise see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: cron_once.sh JOB COMMAND [ARGUMENT...]' >&2
    exit 64
fi
job=$1
shift

# -n: exit if another host holds the lock. -q: print nothing then, because cron would mail it.
exec redlock run -nq -E 0 --ttl 10s --keep "${CRON_APART:-25s}" "cron:$job" -- "$@"
