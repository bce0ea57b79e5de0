#!/bin/sh
# SPDX-License-Identifier: MIT
# cron_once.sh JOB COMMAND [ARGUMENT...] - the crontabs of several hosts have the same line, and each day one of
# the hosts runs it:
#
#     REDLOCK_URLS=redis://a redis://b redis://c
#     30 3 * * *  /usr/local/bin/cron_once.sh nightly /usr/local/bin/backup --all
#
# CRON_TICK (%F, the date) is the format of date(1) for the tick: the job succeeds once for each. For a job that
# runs every hour, use %FT%H. All hosts must get the same tick, so do not start a job close to the end of its day
# or hour; UTC is used. A host waits for up to two minutes while another one works. If that one fails or dies
# meanwhile, it runs the job.
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
