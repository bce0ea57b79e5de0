/* SPDX-License-Identifier: MIT */
/* subject.c - one lock of any kind on scripted servers; see subject.h. */
#include "tests/subject.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subject subject;

/* What the servers' clocks show when they start. */
enum { SERVER_START = 5000000 };

static const char *const names[] = {"k", "l", "m"};

static uint64_t server_ms(uint64_t now_ms)
{
    return now_ms - subject.start_ms + SERVER_START;
}

static size_t name_count(void)
{
    return subject.kind == SUBJECT_SEVERAL ? 3 : 1;
}

static const char *last_name(void)
{
    return names[name_count() - 1];
}

int subject_is_redlock(void)
{
    return subject.kind == SUBJECT_REDLOCK_1 || subject.kind == SUBJECT_REDLOCK_5;
}

/* ---------------------------------------------------------------- setting up */

static void init_handle(struct subject_handle *h, const void *last, size_t last_len)
{
    struct rdl_bytes several[3] = {{names[0], 1}, {names[1], 1}, {last, last_len}};
    size_t i;

    switch (subject.kind) {
    case SUBJECT_PX:
    case SUBJECT_FENCED:
        rdl_lock_init(&h->lock, subject.kind == SUBJECT_PX ? &rdl_lock_px : &rdl_lock_fenced,
                      &subject.opt.lease, &subject.s[0].conn, last, last_len);
        break;
    case SUBJECT_SEVERAL:
        rdl_lock_init_multi(&h->lock, &subject.opt.lease, &subject.s[0].conn, several, 3, h->packed);
        break;
    case SUBJECT_REDLOCK_1:
    case SUBJECT_REDLOCK_5:
        for (i = 0; i < subject.n; i++)
            h->servers[i].conn = &subject.s[i].conn;
        rdl_redlock_init(&h->redlock, &subject.opt, h->servers, subject.n, last, last_len);
        break;
    case KINDS:
        break;
    }
}

void subject_rename(const void *name, size_t len)
{
    init_handle(subject.h, name, len);
}

void subject_turn(int i)
{
    subject.h = &subject.handle[i];
}

static void load(struct scripted *s, const struct rdl_script *script)
{
    char text[1024];

    snprintf(text, sizeof text, "*3\r\n$6\r\nSCRIPT\r\n$4\r\nLOAD\r\n$%zu\r\n%s\r\n", strlen(script->text),
             script->text);
    scripted_other(s, text, SERVER_START);
}

/* It has done this before. */
static void start_server(size_t i)
{
    static const struct rdl_script *const scripts[] = {&rdl_script_release,       &rdl_script_extend,
                                                       &rdl_script_acquire,       &rdl_script_extend_fenced,
                                                       &rdl_script_acquire_multi, &rdl_script_extend_multi,
                                                       &rdl_script_release_multi};
    size_t k;

    sim_server_start(&subject.s[i].model, &subject.features, i + 1, SERVER_START);
    for (k = 0; k < sizeof scripts / sizeof scripts[0]; k++)
        load(&subject.s[i], scripts[k]);
}

void subject_init_closed(enum subject_kind kind, uint64_t now_ms)
{
    const struct rdl_redlock_options once = {
        .lease = {.ttl_ms = SUBJECT_TTL, .attempt_ms = SUBJECT_ATTEMPT},
        .max_ttl_ms = RDL_TTL_MAX,
        .guard = RDL_GUARD_OFF,
    };
    size_t i;

    memset(&subject, 0, sizeof subject);
    subject.kind = kind;
    subject.opt = once;
    subject.start_ms = now_ms;
    subject.features.version = "7.0.15";
    subject.n = kind == SUBJECT_REDLOCK_5 ? SUBJECT_SERVERS : 1;
    subject.hit = subject.n / 2 + 1;
    for (i = 0; i < subject.n; i++) {
        scripted_init(&subject.s[i]);
        start_server(i);
    }
    for (i = 2; i-- > 0;) {
        subject_turn((int)i);
        init_handle(subject.h, last_name(), 1);
    }
}

/* Each connection learns which way its server takes, on a handle that is then as new. */
static void warm_up(uint64_t now_ms)
{
    subject_turn(1);
    subject_hold(&now_ms);
    ck_assert_int_eq(subject_extend(SUBJECT_TTL, &now_ms), RDL_OK);
    ck_assert_int_eq(subject_release(&now_ms), RDL_OK);
    subject_settle(now_ms);
    ck_assert_uint_eq(subject_keys(now_ms), 0);
    init_handle(subject.h, last_name(), 1);
    subject_turn(0);
}

void subject_init(enum subject_kind kind, uint64_t now_ms)
{
    size_t i;

    subject_init_closed(kind, now_ms);
    subject.preflight = subject_commands();
    subject_settle(now_ms);
    subject.preflight = subject_commands() - subject.preflight;
    for (i = 0; i < subject.n; i++)
        ck_assert_int_eq(rdl_conn_state(&subject.s[i].conn), RDL_CONN_READY);
    warm_up(now_ms);
}

void subject_patient(uint32_t wait_ms)
{
    subject.opt.lease.wait_ms = wait_ms;
    subject.opt.lease.retry_ms = 50;
}

/* ---------------------------------------------------------------- the handle */

int subject_acquire_begin(uint64_t now_ms)
{
    const uint8_t *entropy = token_bytes(0x10 + ++subject.begins);

    return subject_is_redlock() ? rdl_redlock_acquire_begin(&subject.h->redlock, entropy, now_ms)
                                : rdl_lock_acquire_begin(&subject.h->lock, entropy, now_ms);
}

int subject_extend_begin(uint32_t ttl_ms, uint64_t now_ms)
{
    return subject_is_redlock() ? rdl_redlock_extend_begin(&subject.h->redlock, ttl_ms, now_ms)
                                : rdl_lock_extend_begin(&subject.h->lock, ttl_ms, now_ms);
}

int subject_release_begin(uint64_t now_ms)
{
    return subject_is_redlock() ? rdl_redlock_release_begin(&subject.h->redlock, now_ms)
                                : rdl_lock_release_begin(&subject.h->lock, now_ms);
}

int subject_step(uint64_t now_ms)
{
    return subject_is_redlock() ? rdl_redlock_step(&subject.h->redlock, now_ms)
                                : rdl_lock_step(&subject.h->lock, now_ms);
}

void subject_cancel(void)
{
    if (subject_is_redlock())
        rdl_redlock_cancel(&subject.h->redlock);
    else
        rdl_lock_cancel(&subject.h->lock);
}

int subject_adopt(const char *hex, size_t len)
{
    return subject_is_redlock() ? rdl_redlock_adopt(&subject.h->redlock, hex, len)
                                : rdl_lock_adopt(&subject.h->lock, hex, len);
}

const char *subject_token(void)
{
    static char hex[4][RDL_VALUE_MAX + 1];
    static unsigned next;
    char *out = hex[next++ % 4];

    memset(out, 0, sizeof hex[0]);
    if (subject_is_redlock())
        rdl_redlock_token(&subject.h->redlock, out);
    else
        rdl_lock_token(&subject.h->lock, out);
    return out;
}

uint32_t subject_remaining_ms(uint64_t now_ms)
{
    return subject_is_redlock() ? rdl_redlock_remaining_ms(&subject.h->redlock, now_ms)
                                : rdl_lock_remaining_ms(&subject.h->lock, now_ms);
}

uint64_t subject_wake_ms(void)
{
    return subject_is_redlock() ? rdl_redlock_wake_ms(&subject.h->redlock)
                                : rdl_lock_wake_ms(&subject.h->lock);
}

int subject_cause(void)
{
    return subject_is_redlock() ? RDL_OK : rdl_lock_cause(&subject.h->lock);
}

unsigned long subject_attempt(void)
{
    return strtoul(subject_token() + 2 * (size_t)RDL_ENTROPY_LEN, NULL, 16);
}

int subject_is_idle(void)
{
    size_t i;

    for (i = 0; i < subject.n; i++)
        if (!rdl_conn_is_idle(&subject.s[i].conn))
            return 0;
    return !subject_is_redlock() || rdl_redlock_is_idle(&subject.h->redlock);
}

int subject_run(int rc, uint64_t *now_ms)
{
    int rounds = 0;

    while (rc == RDL_PENDING) {
        uint64_t wake_ms;
        int step;
        for (step = 0; step < 3 && rc == RDL_PENDING; step++) {
            subject_serve(*now_ms);
            rc = subject_step(*now_ms);
        }
        subject_serve(*now_ms);
        if (rc != RDL_PENDING)
            break;
        wake_ms = subject_wake_ms();
        ck_assert_uint_ne(wake_ms, UINT64_MAX);
        if (wake_ms > *now_ms)
            rounds = 0;
        ck_assert_int_lt(rounds++, 5);
        *now_ms = wake_ms > *now_ms ? wake_ms : *now_ms;
    }
    return rc;
}

int subject_acquire(uint64_t *now_ms)
{
    return subject_run(subject_acquire_begin(*now_ms), now_ms);
}

int subject_extend(uint32_t ttl_ms, uint64_t *now_ms)
{
    return subject_run(subject_extend_begin(ttl_ms, *now_ms), now_ms);
}

int subject_release(uint64_t *now_ms)
{
    return subject_run(subject_release_begin(*now_ms), now_ms);
}

void subject_hold(uint64_t *now_ms)
{
    ck_assert_int_eq(subject_acquire(now_ms), RDL_OK);
    subject_settle(*now_ms);
    ck_assert_uint_eq(subject_keys(*now_ms), subject_all_keys());
}

/* ---------------------------------------------------------------- the servers */

/* What a driver does about opening and closing. */
static void drive(size_t i)
{
    struct scripted *s = &subject.s[i];

    if (rdl_conn_wants(&s->conn) & RDL_WANT_CLOSE)
        rdl_conn_closed(&s->conn, rdl_conn_error(&s->conn));
    if (!(rdl_conn_wants(&s->conn) & RDL_WANT_OPEN))
        return;
    if (subject.mood[i] == SUBJECT_DOWN) {
        rdl_conn_closed(&s->conn, RDL_E_CONNECT);
        return;
    }
    if (subject.mood[i] == SUBJECT_DEAF)
        subject.mood[i] = SUBJECT_UP;
    memset(&s->session, 0, sizeof s->session);
    s->len = s->seen = s->served = 0;
    rdl_conn_opened(&s->conn);
}

static void serve(size_t i, uint64_t now_ms)
{
    struct scripted *s = &subject.s[i];

    drive(i);
    if (subject.mood[i] == SUBJECT_UP)
        scripted_serve(s, server_ms(now_ms));
    else if (subject.mood[i] == SUBJECT_MUTE)
        scripted_serve_mute(s, server_ms(now_ms));
    else
        scripted_sent(s);
    if (subject.mood[i] == SUBJECT_DEAF)
        s->served = s->len;
    if (s->served == s->len)
        s->len = s->seen = s->served = 0;
    drive(i);
}

void subject_serve(uint64_t now_ms)
{
    size_t i;

    for (i = 0; i < subject.n; i++)
        serve(i, now_ms);
}

void subject_befall(enum subject_mood mood)
{
    size_t i;

    for (i = 0; i < subject.hit; i++) {
        subject.mood[i] = mood;
        if (mood == SUBJECT_DOWN && rdl_conn_state(&subject.s[i].conn) != RDL_CONN_CLOSED)
            rdl_conn_closed(&subject.s[i].conn, RDL_E_CLOSED);
    }
}

void subject_settle(uint64_t now_ms)
{
    size_t i;
    int round;

    for (round = 0; round < 4; round++) {
        for (i = 0; i < subject.n; i++) {
            struct rdl_conn *conn = &subject.s[i].conn;
            uint64_t at_ms = rdl_conn_upkeep(conn, now_ms);
            subject.mood[i] = SUBJECT_UP;
            if (rdl_conn_state(conn) == RDL_CONN_CLOSED)
                rdl_conn_upkeep(conn, at_ms);
        }
        subject_serve(now_ms);
        if (subject_is_redlock()) /* between operations as well: late votes are taken in */
            subject_step(now_ms);
    }
}

static void command(size_t i, const char *text, uint64_t now_ms)
{
    scripted_other(&subject.s[i], text, server_ms(now_ms));
}

void subject_steal(uint64_t now_ms)
{
    char text[64];
    size_t i;

    snprintf(text, sizeof text, "SET %s other PX %d\r\n", last_name(), SUBJECT_THEFT);
    for (i = 0; i < subject.hit; i++)
        command(i, text, now_ms);
}

void subject_forget(uint64_t now_ms)
{
    char text[64];
    size_t i;

    snprintf(text, sizeof text, "DEL %s\r\n", last_name());
    for (i = 0; i < subject.hit; i++)
        command(i, text, now_ms);
}

void subject_plant(const char *hex, unsigned ttl_ms, uint64_t now_ms)
{
    char text[128];
    size_t i;
    size_t k;

    for (i = 0; i < subject.n; i++) {
        for (k = 0; k < name_count(); k++) {
            snprintf(text, sizeof text, "SET %s %.40s NX PX %u\r\n", names[k], hex, ttl_ms);
            command(i, text, now_ms);
        }
    }
}

/* Looking ahead changes nothing. */
static const struct sim_key *key_at(size_t i, size_t k, uint64_t now_ms)
{
    const struct sim_server *model = &subject.s[i].model;
    size_t e;

    for (e = 0; e < model->keys; e++) {
        const struct sim_key *key = &model->key[e];
        int is_it = key->key_len == strlen(names[k]) && memcmp(key->key, names[k], key->key_len) == 0;
        if (key->used && is_it)
            return key->expire_ms == 0 || server_ms(now_ms) <= key->expire_ms ? key : NULL;
    }
    return NULL;
}

static int has_value(const struct sim_key *key, const char *value)
{
    return key->value_len == strlen(value) && memcmp(key->value, value, key->value_len) == 0;
}

/* Keys with this value, or with any other. */
static unsigned count(const char *value, int is_other, uint64_t now_ms)
{
    unsigned n = 0;
    size_t i;
    size_t k;

    for (i = 0; i < subject.n; i++) {
        for (k = 0; k < name_count(); k++) {
            const struct sim_key *key = key_at(i, k, now_ms);
            n += key != NULL && has_value(key, value) != is_other;
        }
    }
    return n;
}

unsigned subject_stolen(uint64_t now_ms)
{
    return count("other", 0, now_ms);
}

unsigned subject_keys(uint64_t now_ms)
{
    return count("other", 1, now_ms);
}

unsigned subject_all_keys(void)
{
    return (unsigned)(subject.n * name_count());
}

int subject_keys_are(const char *hex, uint64_t now_ms)
{
    return count(hex, 1, now_ms) == 0 && count(hex, 0, now_ms) == subject_all_keys();
}

uint64_t subject_commands(void)
{
    uint64_t n = 0;
    size_t i;

    for (i = 0; i < subject.n; i++)
        n += subject.s[i].model.commands;
    return n;
}
