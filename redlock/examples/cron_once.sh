#!/bin/sh
# SPDX-License-Identifier: MIT
# cron_once.sh JOB COMMAND [ARGUMENT...] - the crontabs of several hosts have the same line, and each day one of
# the hosts runs it:
#
#     REDLOCK_URLS=redis://a redis://b redis://c
#     30 3 * * *  /usr/local/bin/cron_once.sh nightly /usr/local/bin/backup --all
#
# The job succeeds once for each tick. CRON_TICK is the date(1) format of the tick; the default is %F, the date
# in UTC. For a job that runs every hour, use %FT%H. All hosts must get the same tick, so do not start a job
# close to the end of its day or hour. While one host works, the others wait for up to two minutes. If that host
# fails or dies meanwhile, a waiting host runs the job.
#
# What it does not protect against: if the host crashes between the end of the job and its record, another host
# runs the job again. If all hosts have stopped waiting when a job fails, no host tries again before the next
# time. If no majority of the servers replies, no host runs the job; that is an error, and cron mails it.
#
# Exit status: that of the job; 0 if another host runs or ran it; 75 if the lock was lost and the job was
# stopped, or if the job succeeded but could not be recorded; otherwise see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: cron_once.sh JOB COMMAND [ARGUMENT...]' >&2
    exit 64
fi
job=$1
shift
tick=$(date -u "+${CRON_TICK:-%F}")

# -q: print nothing if the tick is done or another host works on it, because cron would mail it.
exec redlock run -q -w 2m -E 0 --once "$tick" "cron:$job" -- "$@"
