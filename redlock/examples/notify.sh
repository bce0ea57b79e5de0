#!/bin/sh
# SPDX-License-Identifier: MIT
# notify.sh JOB COMMAND [ARGUMENT...] - run a job on one host at a time, and report how it ended:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     export NOTIFY='mail -s "$NOTIFY_SUBJECT" ops@example.org'
#     notify.sh nightly ./backup
#
# NOTIFY is a command for the shell. It finds a line about the job in $NOTIFY_SUBJECT, and the job's output in
# its standard input. It runs after the release, so a slow one delays no other host. A host that finds the
# lock held reports nothing, and does nothing.
#
# What it does not protect against: a host that dies reports nothing. The guide has an alert for a job that is
# late. The output is kept in memory. If the report fails, it is not sent again.
#
# Exit status: that of COMMAND. 0: another host runs the job, or COMMAND was successful. 75: the lock was
# lost, and COMMAND was stopped. For others see redlock(1).
set -eu

if [ $# -lt 2 ]; then
    echo 'usage: notify.sh JOB COMMAND [ARGUMENT...]' >&2
    exit 64
fi
job=$1
shift

status=0
output=$(redlock run -nq -E 80 "notify:$job" -- "$@" 2>&1) || status=$?
case $status in
0) how=succeeded ;;
80) exit 0 ;;
69 | 76 | 77) how="did not run: no majority of the lock's servers (status $status)" ;;
75) how='lost its lock: check its result (status 75)' ;;
*) how="failed (status $status)" ;;
esac
printf '%s\n' "$output" | NOTIFY_SUBJECT="$job on $(uname -n): $how" sh -c "${NOTIFY:-cat}" ||
    echo "notify.sh: the report was not sent: $job $how" >&2
exit $status
