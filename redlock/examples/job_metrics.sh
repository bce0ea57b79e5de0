#!/bin/sh
# SPDX-License-Identifier: MIT
# job_metrics.sh <LOG - turn the JSON log of jobs into three metrics for each lock: when the job last
# succeeded, how long its last run took, and how long that run waited for the lock. For Prometheus:
#
#     redlock run --log json --log-fd 9 nightly -- ./backup 9>>redlock.log
#     job_metrics.sh <redlock.log >jobs.new && mv jobs.new DIRECTORY/jobs.prom
#
# What it does not protect against: it knows only what is in this log, of this host. If the log is rotated,
# read the old one, too (cat redlock.log.1 redlock.log | job_metrics.sh). A job that never ran has no metrics.
# It needs jq. Exit status: that of jq.
set -eu

exec jq -nRr '
def quoted: gsub("\\p{Cc}"; "\ufffd") | tojson;
def unix: sub("\\.[0-9]+Z$"; "Z") | fromdateiso8601;
# A run succeeds if its command exits with 0, and the lock is then released or kept, and not lost.
def note($e):
  if $e.event == "acquired" then .waited = $e.waited_ms / 1000 | .done = null
  elif $e.event == "child_exit" then
    .duration = $e.held_ms / 1000 | .done = if $e.status == 0 then $e.time else null end
  elif $e.event == "lost" then .done = null
  elif ($e.event == "released" or $e.event == "kept") and .done then .success = (.done | unix)
  else . end;
def print($all; $name; $help; $field):
  "# HELP \($name) \($help)", "# TYPE \($name) gauge",
  ($all | to_entries[] | select(.value[$field] != null) | "\($name){lock=\(.key)} \(.value[$field])");
reduce (inputs | fromjson? | select(.lock? != null)) as $e ({};
  ($e.lock | quoted) as $lock | .[$lock] = (.[$lock] // {} | note($e)))
| print(.; "redlock_job_last_success_timestamp_seconds"; "When the job last succeeded, in Unix time."; "success"),
  print(.; "redlock_job_last_duration_seconds"; "How long the last run took."; "duration"),
  print(.; "redlock_job_last_wait_seconds"; "How long the last run waited for the lock."; "waited")'
