#!/bin/sh
# SPDX-License-Identifier: MIT
# leases.sh OUT [seeds] - prove the arithmetic of leases for all values: WP, by the contracts at the functions. Each
# overflow counts, also of unsigned numbers. With `seeds`, five bugs in copies must each leave a goal open.
set -u
out=$1
mkdir -p "$out"
out=$(cd "$out" && pwd)
export WHY3CONFIG="$out/why3.conf"
[ -s "$WHY3CONFIG" ] || why3 config detect >"$out/why3.log" 2>&1

# prove TREE NAME FILE FUNCTIONS - 0: all goals are proved.
prove() {
    (cd "$1" && frama-c -machdep gcc_x86_64 -cpp-extra-args=-DNDEBUG "$3" -wp -wp-rte -warn-unsigned-overflow \
        -wp-prover cvc4 -wp-timeout 10 -wp-par 1 -wp-cache none -wp-fct "$4") >"$out/$2.log" 2>&1
    goals=$(sed -n 's/.*Proved goals: *\([0-9]* \/ [0-9]*\).*/\1/p' "$out/$2.log" | tail -1)
    echo "$2: proved goals: ${goals:-none}"
    [ -n "$goals" ] && [ "${goals% /*}" = "${goals#*/ }" ]
}

lease=rdl_drift_ms,rdl_first_ttl_ms,rdl_attempt_ms_for_rtt,rdl_ttl_longest,rdl_is_one_attempt,rdl_give_up_ms,rdl_pause_ms
token=rdl_token_next
pause=rdl_backoff_ms
count=rdl_redlock_quorum,rdl_redlock_validity_end,rdl_redlock_remaining_ms
guard=rdl_guard_quarantine_end,rdl_redlock_max_ttl_ms

# seed NAME FILE SED FUNCTIONS
seed() {
    tree=$out/seed/$1
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -r --parents resp/*.h net/*.h lock/*.h redlock/*.h "$2" "$tree" 2>"$out/cp.log"
    sed "$3" "$2" >"$tree/$2"
    if [ "$(diff "$2" "$tree/$2" | grep -c '^>')" != 1 ]; then
        echo "seed $1: its line is not once in $2 any more"
    elif prove "$tree" "seed-$1" "$2" "$4" >/dev/null; then
        echo "seed $1: proved all the same"
    elif grep -qE 'Goal typed_.*(Timeout|Unknown)' "$out/seed-$1.log"; then
        echo "seed $1: found"
        return
    else
        cat "$out/seed-$1.log"
    fi
    touch "$out/failed"
}

rm -f "$out/failed"
if [ "${2:-}" = seeds ]; then
    seed drift lock/lock_lease.c 's/(100 \* part != ttl_ms) + 2/2/' rdl_drift_ms
    seed token lock/lock_lease.c 's/++t->bytes\[i\] == 0/++t->bytes[i] == 1/' $token
    seed pause net/net_timers.c 's/^        most = cap_ms;/        most = base_ms;/' $pause
    seed quorum redlock/redlock_private.h 's,r->n / 2u + 1u,(r->n + 1u) / 2u,' rdl_redlock_quorum
    seed guard redlock/redlock_guard.c 's/over_ms : 1000)/over_ms : 0)/' rdl_guard_quarantine_end
else
    for file in "lock/lock_lease.c $lease" "lock/lock_lease.c $token" "net/net_timers.c $pause" \
        "redlock/redlock_count.c $count" "redlock/redlock_guard.c $guard"; do
        name=${file##*/}
        name=${name%%.c *}-${file##* rdl_}
        prove . "${name%%,*}" "${file% *}" "${file#* }" || touch "$out/failed" &
    done
    wait
fi
[ ! -e "$out/failed" ]
