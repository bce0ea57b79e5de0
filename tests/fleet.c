/* SPDX-License-Identifier: MIT */
/* fleet.c - one redlock on scripted servers; see fleet.h. */
#include "tests/fleet.h"

#include <check.h>
#include <string.h>

struct fleet fleet;

void fleet_init(size_t n, uint64_t now_ms)
{
    const struct rdl_redlock_options once = {
        .lease = {.ttl_ms = FLEET_TTL}, .max_ttl_ms = FLEET_TTL, .guard = RDL_GUARD_OFF};
    size_t i;

    memset(&fleet, 0, sizeof fleet);
    fleet.n = n;
    fleet.opt = once;
    for (i = 0; i < n; i++) {
        scripted_init(&fleet.s[i]);
        scripted_model(&fleet.s[i], now_ms);
        fleet.servers[i].conn = &fleet.s[i].conn;
    }
    rdl_redlock_init(&fleet.lock, &fleet.opt, fleet.servers, n, "k", 1);
    for (i = 0; i < n; i++) {
        scripted_open(&fleet.s[i], now_ms);
        scripted_serve(&fleet.s[i], now_ms); /* the preflight */
        scripted_sent(&fleet.s[i]);
        ck_assert_int_eq(rdl_conn_state(&fleet.s[i].conn), RDL_CONN_READY);
    }
}

void fleet_down(size_t i)
{
    fleet.mood[i] = MOOD_DOWN;
    rdl_conn_closed(&fleet.s[i].conn, RDL_E_CLOSED);
}

void fleet_up(size_t i)
{
    fleet.mood[i] = MOOD_UP;
}

void fleet_guarded(size_t n, enum rdl_guard guard, uint64_t now_ms)
{
    size_t i;

    fleet_init(n, now_ms - 3600000);
    fleet.opt.guard = (uint8_t)guard;
    for (i = 0; i < n; i++)
        rdl_conn_upkeep(&fleet.s[i].conn, now_ms - 3600000);
}

void fleet_connect(size_t i, uint64_t now_ms)
{
    fleet_up(i);
    rdl_conn_upkeep(&fleet.s[i].conn, now_ms);
    if (rdl_conn_state(&fleet.s[i].conn) == RDL_CONN_CLOSED) /* it pauses */
        rdl_conn_upkeep(&fleet.s[i].conn, now_ms + 3000);
    fleet_serve(i, now_ms);
    ck_assert_int_eq(rdl_conn_state(&fleet.s[i].conn), RDL_CONN_READY);
    rdl_conn_upkeep(&fleet.s[i].conn, now_ms);
}

void fleet_restart(size_t i, uint64_t now_ms)
{
    fleet_down(i);
    scripted_model(&fleet.s[i], now_ms);
    fleet_connect(i, now_ms);
}

void fleet_command(size_t i, const char *inline_command, uint64_t now_ms)
{
    scripted_other(&fleet.s[i], inline_command, now_ms);
}

void fleet_steal(size_t i, uint64_t now_ms)
{
    fleet_command(i, "SET k other PX 5000\r\n", now_ms);
}

void fleet_delete(size_t i, uint64_t now_ms)
{
    fleet_command(i, "DEL k\r\n", now_ms);
}

/* What a driver does about opening and closing. */
static void drive(size_t i)
{
    struct scripted *s = &fleet.s[i];

    if (rdl_conn_wants(&s->conn) & RDL_WANT_CLOSE)
        rdl_conn_closed(&s->conn, rdl_conn_error(&s->conn));
    if (!(rdl_conn_wants(&s->conn) & RDL_WANT_OPEN))
        return;
    if (fleet.mood[i] == MOOD_DOWN) {
        rdl_conn_closed(&s->conn, RDL_E_CONNECT);
        return;
    }
    if (fleet.mood[i] == MOOD_DEAF)
        fleet.mood[i] = MOOD_UP;
    memset(&s->session, 0, sizeof s->session);
    scripted_sent(s);
    s->served = s->len;
    rdl_conn_opened(&s->conn);
}

void fleet_serve(size_t i, uint64_t now_ms)
{
    drive(i);
    if (fleet.mood[i] == MOOD_UP)
        scripted_serve(&fleet.s[i], now_ms);
    else
        scripted_sent(&fleet.s[i]);
    if (fleet.mood[i] == MOOD_DEAF)
        fleet.s[i].served = fleet.s[i].len;
    drive(i);
}

void fleet_serve_all(uint64_t now_ms)
{
    size_t i;

    for (i = 0; i < fleet.n; i++)
        fleet_serve(i, now_ms);
}

int fleet_acquire(uint64_t now_ms)
{
    return rdl_redlock_acquire_begin(&fleet.lock, entropy_bytes(), now_ms);
}

int fleet_run(int rc, uint64_t *now_ms)
{
    int rounds = 0;

    while (rc == RDL_PENDING) {
        int step;
        for (step = 0; step < 3 && rc == RDL_PENDING; step++) {
            fleet_serve_all(*now_ms);
            rc = rdl_redlock_step(&fleet.lock, *now_ms);
        }
        fleet_serve_all(*now_ms);
        if (rc != RDL_PENDING)
            break;
        /* a lock that waits says until when, and not "now" for ever */
        if (rdl_redlock_wake_ms(&fleet.lock) > *now_ms)
            rounds = 0;
        ck_assert_int_lt(rounds++, 5);
        ck_assert_uint_ne(rdl_redlock_wake_ms(&fleet.lock), UINT64_MAX);
        *now_ms = rdl_redlock_wake_ms(&fleet.lock) > *now_ms ? rdl_redlock_wake_ms(&fleet.lock) : *now_ms;
    }
    return rc;
}

unsigned fleet_keys(uint64_t now_ms)
{
    unsigned n = 0;
    size_t i;

    for (i = 0; i < fleet.n; i++)
        n += scripted_has_key(&fleet.s[i], "k", now_ms) != 0;
    return n;
}

void fleet_befall(const char *fates, uint64_t now)
{
    size_t i;

    for (i = 0; fates[i] != '\0'; i++) {
        if (fates[i] == 'f')
            fleet.mood[i] = MOOD_FROZEN;
        else if (fates[i] == 'd')
            fleet_down(i);
        else if (fates[i] == 's')
            fleet_steal(i, now);
        else if (fates[i] == 'g')
            fleet_delete(i, now);
        else if (fates[i] == 'w')
            fleet.mood[i] = MOOD_DEAF;
        else if (fates[i] == 'e')
            fleet.s[i].model.busy = 1;
    }
}

void fleet_mend(uint64_t now)
{
    size_t i;

    for (i = 0; i < fleet.n; i++) {
        fleet.mood[i] = MOOD_UP;
        fleet.s[i].model.busy = 0;
    }
    for (i = 0; i < 3; i++) { /* pauses, connections, releases */
        rdl_redlock_step(&fleet.lock, now + 3000 * i);
        fleet_serve_all(now + 3000 * i);
    }
}
