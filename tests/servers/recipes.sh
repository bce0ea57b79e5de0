#!/bin/bash
# SPDX-License-Identifier: MIT
# recipes.sh COMMAND - systemd accepts the units of the guide, and Ansible runs its task: it changes something if the
# lock is free, and nothing if another client holds it. Only servers, programs and the time to wait differ.
set -euo pipefail
guide=$PWD/redlock/doc/GUIDE.md
PATH=$PWD/${1%/*}:$PATH
dir=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"

# Each block is a file, block1.ini and so on.
awk '/^```/ { out = "" } out { print >out } /^```(ini|yaml)$/ { out = "block" ++n "." substr($0, 4) }' "$guide"

units=0
for block in block*.ini; do
    unit=unit$((units += 1)).$(grep -q '^\[Timer\]' "$block" && echo timer || echo service)
    sed 's,/usr/local/bin/[a-z-]*,/bin/true,' "$block" >"$unit"
done
# A timer belongs to the service before it.
mv unit3.timer unit2.timer
systemd-analyze verify "$dir"/unit*.service "$dir"/unit2.timer >findings 2>&1 || echo "it fails" >>findings
[ ! -s findings ] || { cat findings; exit 1; }
echo "systemd-analyze verify: $units units, no finding"

redis-server --port 0 --unixsocket "$dir/server" --dir "$dir" --save '' >server.log &
pids+=($!)
until grep -qis "ready to accept connections" server.log; do
    kill -0 "${pids[0]}"
    sleep 0.05
done
export REDLOCK_RESTART_GUARD=off ANSIBLE_LOCALHOST_WARNING=False ANSIBLE_HOME=$dir ANSIBLE_LOCAL_TEMP=$dir/local \
    ANSIBLE_REMOTE_TEMP=$dir/remote LC_ALL=C.UTF-8
{
    printf '%s\n' '- hosts: localhost' '  connection: local' '  gather_facts: false' '  tasks:'
    sed "s,redis://.*,unix://$dir/server,; s,/usr/local/bin/update-schema,touch $dir/updated,; s,-w 10m,-w 1s,; s,^,  ," \
        "$(grep -l ansible block*.yaml)"
} >play.yml
play() { # word... : of the recap
    ansible-playbook play.yml >play.log 2>&1 || { cat play.log; exit 1; }
    for word; do
        grep -q "^localhost .*$word " play.log || { cat play.log; echo "recipes.sh: not $word"; exit 1; }
    done
}
play ok=1 changed=1 failed=0
[ -e updated ]
rm updated
redlock acquire -q -u "unix://$dir/server" schema >token 2>/dev/null
play ok=1 changed=0 failed=0
[ ! -e updated ]
echo "ansible-playbook: runs under the lock, and not while it is held"
