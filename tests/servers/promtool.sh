#!/bin/bash
# SPDX-License-Identifier: MIT
# promtool.sh COMMAND - Prometheus reads what `redlock list` and job_metrics.sh print: promtool has no complaint.
# The alert rules of the guide are valid, and each fires when it should, and only then.
set -euo pipefail
command=$PWD/$1
root=$PWD
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"

for i in 1 2 3; do
    redis-server --port 0 --unixsocket "$dir/server$i" --dir "$dir" --save '' >"server$i.log" &
    pids+=($!)
    export REDLOCK_URLS="${REDLOCK_URLS-} unix://$dir/server$i"
done
for i in 1 2 3; do
    until grep -qis "ready to accept connections" "server$i.log"; do
        kill -0 "${pids[@]}"
        sleep 0.05
    done
done
REDLOCK_URLS=${REDLOCK_URLS# }
export REDLOCK_RESTART_GUARD=off

# ---------------------------------------------------------------- metrics
check() { # file number-of-series
    promtool check metrics <"$1"
    found=$(grep -vc '^#' "$1")
    [ "$found" -eq "$2" ] || { cat "$1"; echo "promtool.sh: $1 has $found series, not $2"; exit 1; }
    echo "promtool check metrics: $1: $found series"
}

for lock in nightly 'a "quoted\ name"' $'\xff' $'\xfe' $'tab\t' $'\xc3\xbc'; do
    "$command" acquire -q --any-name --ttl 10m --max-ttl 10m "$lock" >/dev/null 2>&1
done
redis-cli -s "$dir/server1" SET forever 00112233445566778899aabbccddeeff00000001 >/dev/null
redis-cli -s "$dir/server2" SET forever 00112233445566778899aabbccddeeff00000001 >/dev/null
"$command" list --format prometheus >locks.prom # seven locks
check locks.prom $((7 * 5 + 3 + 2))
kill "${pids[0]}" "${pids[1]}"
wait "${pids[0]}" "${pids[1]}" || true
"$command" list --format prometheus >incomplete.prom 2>/dev/null && exit 1
check incomplete.prom $((3 + 2))
"$command" run -q -u "unix://$dir/server3" --any-name --log json --log-fd 9 $'job\xff "\\' true 9>log 2>/dev/null
"$root/redlock/examples/job_metrics.sh" <log >jobs.prom
check jobs.prom 3

# ---------------------------------------------------------------- alerts
awk '/^```/ { shown = 0 } shown; /^```yaml/ { getline; if ($0 == "groups:") { shown = 1; print } }' \
    "$root/redlock/doc/GUIDE.md" >rules.yml
promtool check rules rules.yml
cat >tests.yml <<'END'
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
- name: nothing fires while all is well, and a list that is not written any more is noticed
  interval: 1m
  input_series:
  - series: redlock_list_complete
    values: 1x60
  - series: redlock_list_timestamp_seconds
    values: 0+60x10 600x50
  - series: redlock_lock_held{lock="importer"}
    values: 1x60
  - series: redlock_job_last_success_timestamp_seconds{lock="nightly", instance="a"}
    values: 0x60
  alert_rule_test:
  - {eval_time: 14m, alertname: RedlockNotRead}
  - {eval_time: 14m, alertname: RedlockFree}
  - {eval_time: 14m, alertname: RedlockJobLate}
  - eval_time: 21m
    alertname: RedlockNotRead
    exp_alerts:
    - exp_annotations: {summary: the locks were not read for 10 min; run redlock doctor}
- name: an incomplete list is no proof that a lock is free
  interval: 1m
  input_series:
  - series: redlock_list_complete
    values: 0x10 1x50
  - series: redlock_list_timestamp_seconds
    values: 0+60x60
  alert_rule_test:
  - {eval_time: 10m, alertname: RedlockFree}
  - eval_time: 10m
    alertname: RedlockNotRead
    exp_alerts:
    - exp_annotations: {summary: the locks were not read for 10 min; run redlock doctor}
  - {eval_time: 20m, alertname: RedlockNotRead}
  - eval_time: 20m
    alertname: RedlockFree
    exp_alerts:
    - exp_labels: {lock: importer}
      exp_annotations: {summary: no host has run the importer for 2 min}
- name: a job is late if no host ran it for 26 hours
  interval: 1h
  input_series:
  - series: redlock_job_last_success_timestamp_seconds{lock="nightly", instance="a"}
    values: 0x50
  - series: redlock_job_last_success_timestamp_seconds{lock="nightly", instance="b"}
    values: 0x10 36000x40
  alert_rule_test:
  - {eval_time: 36h, alertname: RedlockJobLate}
  - eval_time: 37h
    alertname: RedlockJobLate
    exp_alerts:
    - exp_annotations: {summary: the nightly backup has not succeeded on any host for 26 h}
END
promtool test rules tests.yml
