/* SPDX-License-Identifier: MIT */
/*
 * net_op_fenced.c - acquire with a number that grows: lock and counter in one script, so no number is
 * given without the lock and no lock without its number. Extend sees to it that the counter is there still;
 * the same script raises the counter of one of several servers to the number that another gave, while the
 * lock is ours.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/* f and h: the record's extra is the number, and perhaps for how long it is kept. */
static void split(struct rdl_bytes extra, struct rdl_bytes out[2])
{
    const char *text = extra.data;
    size_t n = 0;

    while (n < extra.len && text[n] != ' ')
        n++;
    out[0].data = text;
    out[0].len = n;
    out[1].data = n < extra.len ? text + n + 1 : "0";
    out[1].len = n < extra.len ? extra.len - n - 1 : 1;
}

static void fence_put(struct rdl_window *w, const char *const *commands,
                      const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                      const struct rdl_record *r)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    struct rdl_bytes all[RDL_LETTERS + 3];
    const struct rdl_args args = {RDL_RECORD_LETTERS "bfh", all, RDL_LETTERS + 3};

    (void)c;
    (void)r;
    rdl_copy(all, own, RDL_LETTERS * sizeof *all);
    all[RDL_LETTERS].data = key;
    all[RDL_LETTERS].len = rdl_side_key(key, own[LETTER_K], ":fence");
    split(own[LETTER_X], all + RDL_LETTERS + 1);
    rdl_window_commands(w, commands, &args);
}

/* Nothing is extended: a ttl of 0. */
static void raise_put(struct rdl_window *w, const char *const *commands,
                      const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                      const struct rdl_record *r)
{
    struct rdl_bytes all[RDL_LETTERS];

    rdl_copy(all, own, sizeof all);
    all[LETTER_M].data = "0";
    all[LETTER_M].len = 1;
    fence_put(w, commands, all, c, r);
}

static const char *const call[] = {rdl_wire_call_fenced, NULL};
static const struct rdl_way fenced_way = {.commands = call,
                                          .put = fence_put,
                                          .judge = rdl_script_judge_grant,
                                          .script = &rdl_script_acquire,
                                          .take = rdl_take_numbers};
static const struct rdl_way *const fenced[] = {&fenced_way, NULL};
static const struct rdl_way extend_way = {
    .commands = call, .put = fence_put, .judge = rdl_script_judge, .script = &rdl_script_extend_fenced};
static const struct rdl_way *const extend[] = {&extend_way, NULL};
static const struct rdl_way raise_way = {
    .commands = call, .put = raise_put, .judge = rdl_script_judge, .script = &rdl_script_extend_fenced};
static const struct rdl_way *const raise[] = {&raise_way, NULL};

const struct rdl_op rdl_op_acquire_fenced = {fenced, NULL, FAMILY_FENCED, 1, OWED_NOT};
const struct rdl_op rdl_op_extend_fenced = {extend, NULL, FAMILY_HOLD, 0, OWED_NOT};
const struct rdl_op rdl_op_raise_fence = {raise, NULL, FAMILY_HOLD, 0, OWED_NOT};
