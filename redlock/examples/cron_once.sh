#!/bin/sh
# SPDX-License-Identifier: MIT
# cron_once.sh JOB COMMAND [ARGUMENT...] - a line that stands in the crontabs of several hosts runs on one of
# them, once each time:
#
#     REDLOCK_URLS=redis://a redis://b redis://c
#     30 3 * * *  /usr/local/bin/cron_once.sh nightly /usr/local/bin/backup --all
#
# The first host that comes does it, so any of them may be down. CRON_APART (40s) is how far apart they may
# come: more than their clocks differ, less than the time from one run to the next. The lock is kept for so
# long however short the job is, or a host whose clock is behind would run it again. A job that takes longer
# is not begun a second time meanwhile. Who shares the servers gives a --max-ttl of as much, see redlock(1).
#
# What it does not do: a job that fails, or whose host dies, is not tried again before the next time. A host
# that comes later than CRON_APART runs the job a second time. Nothing runs it where no majority of the servers
# answers; that is an error, and cron sends it.
#
# Exit status: the job's own; 0 where another host has it or had it; 75 if the lock was lost and the job
# stopped; else see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: cron_once.sh JOB COMMAND [ARGUMENT...]' >&2
    exit 64
fi
job=$1
shift

# -n: who finds it taken leaves. -q: without a word, as cron would send it by mail.
exec redlock run -nq -E 0 --ttl 10s --keep "${CRON_APART:-40s}" "cron:$job" -- "$@"
