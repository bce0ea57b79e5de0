/* SPDX-License-Identifier: MIT */
/*
 * eva_write.c - every command of resp_cmd.c, with arguments of any bytes, into a buffer of every capacity up
 * to SIZE whose last byte is the object's last: a byte too many is an alarm.
 *
 * For each combination of lengths a first run, into ample room, tells how many bytes the command takes. Two
 * more cover all other capacities, as intervals: those that do not suffice, and those that do.
 */
#include "resp/resp_cmd.c"
#include "resp/resp_write.c"

#include "__fc_builtin.h"

enum { SIZE = 1024, LONG = 200, BEFORE = 3 /* bytes that are in the buffer already */, COMMANDS = 26 };
static uint8_t memory[SIZE];
static uint8_t key_bytes[LONG];
static uint8_t token_bytes[LONG];

struct call {
    int command;
    uint32_t number;
    size_t key_len;
    size_t token_len;
};

static int without_number(struct rdl_writer *w, int command, const struct rdl_bytes *argv)
{
    switch (command) {
    case 17:
        return rdl_cmd_evalsha(w, &rdl_script_release, argv);
    case 18:
        return rdl_cmd_evalsha(w, &rdl_script_replace, argv);
    case 19:
        return rdl_cmd_evalsha(w, &rdl_script_acquire, argv);
    case 20:
        return rdl_cmd_eval_tail(w, &rdl_script_extend, argv);
    case 21:
        return rdl_cmd_eval_tail(w, &rdl_script_acquire, argv);
    case 22:
        return rdl_cmd_eval_head(w, &rdl_script_extend);
    case 23:
        return rdl_cmd_eval_head(w, &rdl_script_acquire);
    case 24:
        return rdl_cmd_exec(w);
    default:
        return rdl_cmd_discard(w);
    }
}

static int any(struct rdl_writer *w, int command, struct rdl_bytes key, struct rdl_bytes token,
               uint32_t number)
{
    const struct rdl_bytes argv[] = {key, token, {"30000", 5}, {"30000", 5}, {"1", 1}, {"60000", 5}};

    switch (command) {
    case 0:
        return rdl_cmd_auth(w, key, token);
    case 1:
        return rdl_cmd_select(w, number);
    case 2:
        return rdl_cmd_client_setname(w, key);
    case 3:
        return rdl_cmd_set_nx_px(w, key, token, number);
    case 4:
        return rdl_cmd_pttl(w, key);
    case 5:
        return rdl_cmd_delex(w, key, token);
    case 6:
        return rdl_cmd_delifeq(w, key, token);
    case 7:
        return rdl_cmd_set_ifeq(w, key, token, number);
    case 8:
        return rdl_cmd_watch(w, key);
    case 9:
        return rdl_cmd_get(w, key);
    case 10:
        return rdl_cmd_multi(w);
    case 11:
        return rdl_cmd_del(w, key);
    case 12:
        return rdl_cmd_pexpire(w, key, number);
    case 13:
        return rdl_cmd_set(w, key, token);
    case 14:
        return rdl_cmd_time(w);
    case 15:
        return rdl_cmd_setnx(w, key, token);
    case 16:
        return rdl_cmd_getset(w, key, token);
    default:
        return without_number(w, command, argv);
    }
}

static int into(size_t room, const struct call *c, size_t *len)
{
    struct rdl_bytes key = {key_bytes, c->key_len};
    struct rdl_bytes token = {token_bytes, c->token_len};
    struct rdl_writer w;
    int result;

    Frama_C_make_unknown((char *)memory, SIZE);
    rdl_writer_init(&w, memory + (SIZE - room), room);
    w.len = BEFORE;
    result = any(&w, c->command, key, token, c->number);
    *len = w.len;
    return result;
}

static void every_room(const struct call *c)
{
    size_t len;
    size_t all;
    int result;

    result = into(SIZE, c, &all);
    //@ assert ample: result == RDL_OK && BEFORE < all <= SIZE;
    result = into((size_t)Frama_C_unsigned_int_interval(BEFORE, (unsigned)all - 1), c, &len);
    //@ assert refused: result == RDL_E_SPACE && len == BEFORE;
    result = into((size_t)Frama_C_unsigned_int_interval((unsigned)all, SIZE), c, &len);
    //@ assert written: result == RDL_OK && len == all;
}

/* Lengths of one, two and three digits, and none; -D EVERY takes every length of the key. */
static const size_t lens[] = {0, 9, 10, 99, 100, LONG};
enum { LENS = sizeof lens / sizeof lens[0] };
#ifdef EVERY
enum { KEYS = LONG + 1, TOKENS = 1 };
#define KEY_LEN(i) (i)
#else
enum { KEYS = LENS, TOKENS = LENS };
#define KEY_LEN(i) lens[i]
#endif

static void every_length(int command)
{
    struct call c = {command, 30000, 0, 0};
    size_t k;
    size_t t;

    //@ loop unroll 300;
    for (k = 0; k < KEYS; k++) {
        //@ loop unroll 300;
        for (t = 0; t < TOKENS; t++) {
            c.key_len = KEY_LEN(k);
            c.token_len = lens[LENS - 1 - t];
            every_room(&c);
        }
    }
}

/* One number of each count of digits: WP has the decimals in general (resp_write.c). */
static void every_number(int command)
{
    struct call c = {command, 0, 9, 40};
    size_t digits;

    every_room(&c);
    //@ loop unroll 10;
    for (digits = 0; digits < RDL_DEC_MAX; digits++) {
        c.number = ten_to_the[digits];
        every_room(&c);
    }
}

int main(void)
{
    int command;

    Frama_C_make_unknown((char *)key_bytes, sizeof key_bytes);
    Frama_C_make_unknown((char *)token_bytes, sizeof token_bytes);
    //@ loop unroll 300;
    for (command = 0; command < COMMANDS; command++) {
        every_length(command);
        if (command == 1 || command == 3 || command == 7 || command == 12)
            every_number(command);
    }
    return 0;
}
