/* SPDX-License-Identifier: MIT */
/*
 * eva_write.c - every command of resp_cmd.c, resp_ask.c, resp_wake.c, resp_scan.c and resp_multi.c, with
 * arguments of any bytes, into a buffer of every capacity up to SIZE whose last byte is the object's last: a
 * byte too many is an alarm.
 *
 * For each combination of lengths a first run, into ample room, tells how many bytes the command takes. Three
 * more cover all other capacities, as intervals: those that do not suffice, of a buffer that holds something
 * and of an empty one, and those that do.
 */
#include "resp/resp.h"

#include "__fc_builtin.h"

enum { SIZE = 3072, LONG = 200, BEFORE = 3 /* bytes that are in the buffer already */, MULTI = 8 };
static uint8_t memory[SIZE];
static uint8_t key_bytes[LONG];
static uint8_t token_bytes[LONG];

/* How many commands there are of each kind. */
enum { SCRIPTS = 10, CONSTANT = 7 + SCRIPTS, WITH_KEY = 9, WITH_BOTH = 8, CALLS = 2 * SCRIPTS };

struct call {
    int (*put)(struct rdl_writer *w, const struct call *c);
    unsigned command;
    uint32_t number;
    struct rdl_bytes key;
    struct rdl_bytes token;
};

static struct rdl_script script(unsigned i)
{
    const struct rdl_script *const all[SCRIPTS] = {&rdl_script_release,       &rdl_script_extend,
                                                   &rdl_script_replace,       &rdl_script_release_wake,
                                                   &rdl_script_acquire,       &rdl_script_extend_fenced,
                                                   &rdl_script_acquire_multi, &rdl_script_acquire_multi,
                                                   &rdl_script_extend_multi,  &rdl_script_release_multi};
    struct rdl_script s = *all[i % SCRIPTS];

    if (i % SCRIPTS > 6)
        s.keys = MULTI;
    return s;
}

static int constant(struct rdl_writer *w, const struct call *c)
{
    struct rdl_script s = script(c->command);

    switch (c->command) {
    case 0:
        return rdl_cmd_multi(w);
    case 1:
        return rdl_cmd_exec(w);
    case 2:
        return rdl_cmd_discard(w);
    case 3:
        return rdl_cmd_time(w);
    case 4:
        return rdl_cmd_ask(w, RDL_ASK_SERVER);
    case 5:
        return rdl_cmd_ask(w, RDL_ASK_REPLICATION);
    case 6:
        return rdl_cmd_ask(w, RDL_ASK_MEMORY);
    default:
        return rdl_cmd_eval_head(w, &s);
    }
}

static int with_key(struct rdl_writer *w, const struct call *c)
{
    switch (c->command) {
    case 0:
        return rdl_cmd_select(w, c->number);
    case 1:
        return rdl_cmd_pexpire(w, c->key, c->number);
    case 2:
        return rdl_cmd_blpop(w, c->key, c->number, 0);
    case 3:
        return rdl_cmd_blpop(w, c->key, c->number, 1);
    case 4:
        return rdl_cmd_client_setname(w, c->key);
    case 5:
        return rdl_cmd_pttl(w, c->key);
    case 6:
        return rdl_cmd_watch(w, c->key);
    case 7:
        return rdl_cmd_get(w, c->key);
    default:
        return rdl_cmd_del(w, c->key);
    }
}

static int with_both(struct rdl_writer *w, const struct call *c)
{
    switch (c->command) {
    case 0:
        return rdl_cmd_set_nx_px(w, c->key, c->token, c->number);
    case 1:
        return rdl_cmd_auth(w, c->key, c->token);
    case 2:
        return rdl_cmd_delex(w, c->key, c->token);
    case 3:
        return rdl_cmd_delifeq(w, c->key, c->token);
    case 4:
        return rdl_cmd_set(w, c->key, c->token);
    case 5:
        return rdl_cmd_setnx(w, c->key, c->token);
    case 6:
        return rdl_cmd_scan(w, c->key, c->token);
    default:
        return rdl_cmd_getset(w, c->key, c->token);
    }
}

static int script_call(struct rdl_writer *w, const struct call *c)
{
    struct rdl_script s = script(c->command);
    struct rdl_bytes argv[MULTI + 4];
    size_t i;

    //@ loop unroll 20;
    for (i = 0; i < s.keys; i++)
        argv[i] = c->key;
    //@ loop unroll 20;
    for (; i < (size_t)s.keys + s.args; i++)
        argv[i] = c->token;
    return c->command < SCRIPTS ? rdl_cmd_evalsha(w, &s, argv) : rdl_cmd_eval_tail(w, &s, argv);
}

static int into(size_t room, size_t before, const struct call *c, size_t *len)
{
    struct rdl_writer w;
    int result;

    Frama_C_make_unknown((char *)memory, SIZE);
    rdl_writer_init(&w, memory + (SIZE - room), room);
    w.len = before;
    result = c->put(&w, c);
    *len = w.len;
    return result;
}

static void every_room(const struct call *c)
{
    size_t len;
    size_t all;
    int result;

    result = into(SIZE, BEFORE, c, &all);
    //@ assert ample: result == RDL_OK && BEFORE < all <= SIZE;
    result = into((size_t)Frama_C_unsigned_int_interval(BEFORE, (unsigned)all - 1), BEFORE, c, &len);
    //@ assert refused: result == RDL_E_SPACE && len == BEFORE;
    result = into((size_t)Frama_C_unsigned_int_interval(0, (unsigned)all - BEFORE - 1), 0, c, &len);
    //@ assert empty: result == RDL_E_SPACE && len == 0;
    result = into((size_t)Frama_C_unsigned_int_interval((unsigned)all, SIZE), BEFORE, c, &len);
    //@ assert written: result == RDL_OK && len == all;
}

/* Lengths of one, two and three digits, and none; WP has any (claim, in resp_cmd.c). */
static const size_t lens[] = {0, 9, 10, 99, 100, LONG};
enum { LENS = sizeof lens / sizeof lens[0] };

/* Each length of the key with `tokens` lengths of the token, the longest first. */
static void every_length(struct call *c, size_t tokens)
{
    size_t k;
    size_t t;

    //@ loop unroll 300;
    for (k = 0; k < LENS; k++) {
        //@ loop unroll 300;
        for (t = 0; t < tokens; t++) {
            c->key.len = lens[k];
            c->token.len = lens[LENS - 1 - (k + t) % LENS];
            every_room(c);
        }
    }
}

/* The numbers at which a decimal, or the seconds of a wait, gets longer; WP has the decimals in general. */
static void every_number(struct call *c)
{
    static const uint32_t numbers[] = {0,         1,         9,         10,         99,        100,
                                       999,       1000,      1001,      9999,       10000,     99999,
                                       100000,    999999,    1000000,   9999999,    10000000,  99999999,
                                       100000000, 999999000, 999999999, 1000000000, 4294967295};
    size_t i;

    c->key.len = 9;
    c->token.len = 40;
    //@ loop unroll 30;
    for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        c->number = numbers[i];
        every_room(c);
    }
    c->number = 30000;
}

int main(void)
{
    struct call c = {constant, 0, 30000, {key_bytes, 0}, {token_bytes, 0}};

    Frama_C_make_unknown((char *)key_bytes, sizeof key_bytes);
    Frama_C_make_unknown((char *)token_bytes, sizeof token_bytes);
    //@ loop unroll 300;
    for (c.command = 0; c.command < CONSTANT; c.command++)
        every_room(&c);
    c.put = with_key;
    //@ loop unroll 300;
    for (c.command = 0; c.command < WITH_KEY; c.command++) {
        every_length(&c, 1);
        if (c.command < 4)
            every_number(&c);
    }
    c.put = with_both;
    //@ loop unroll 300;
    for (c.command = 0; c.command < WITH_BOTH; c.command++) {
        every_length(&c, LENS);
        if (c.command < 1)
            every_number(&c);
    }
    c.put = script_call;
    //@ loop unroll 300;
    for (c.command = 0; c.command < CALLS; c.command++)
        every_length(&c, 1);
    return 0;
}
