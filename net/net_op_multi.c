/* SPDX-License-Identifier: MIT */
/* net_op_multi.c - several locks as one: a script takes, extends, releases all of them. */
#include "net/net_private.h"

/* a and y count the names; of those there are several k, each stands behind a byte that is its length. */
static void multi_put(struct rdl_window *w, const char *const *commands,
                      const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                      const struct rdl_record *r)
{
    enum { V, M, C, S, A, Y, K };
    struct rdl_bytes all[K + RDL_MULTI_MAX];
    struct rdl_args args = {"vmcsaykkkkkkkk", NULL, K};
    const uint8_t *at = own[LETTER_K].data;
    size_t left = own[LETTER_K].len;
    char keys = '0';

    (void)c;
    all[V] = own[LETTER_V];
    all[M] = own[LETTER_M];
    all[C] = own[LETTER_C];
    all[S] = own[LETTER_S];
    while (left > 0 && args.n < K + RDL_MULTI_MAX) {
        size_t len = at[0];

        RDL_ASSERT(len < left);
        all[args.n].data = at + 1;
        all[args.n].len = len;
        left -= 1 + len;
        at += 1 + len;
        args.n++;
        keys++;
    }
    all[Y].data = &keys;
    all[Y].len = 1;
    all[A].data = NULL;
    all[A].len = args.n - K + (r->op == &rdl_op_release_multi ? 4 : 5); /* c s y, the names, v (m) */
    args.arg = all;
    rdl_window_commands(w, commands, &args);
}

static const char *const call[] = {rdl_wire_call_multi, NULL};
static const struct rdl_way acquire_way = {.commands = call,
                                           .put = multi_put,
                                           .judge = rdl_script_judge_grant,
                                           .script = &rdl_script_acquire_multi,
                                           .take = rdl_take_numbers};
static const struct rdl_way *const acquire[] = {&acquire_way, NULL};
static const struct rdl_way extend_way = {
    .commands = call, .put = multi_put, .judge = rdl_script_judge, .script = &rdl_script_extend_multi};
static const struct rdl_way *const extend[] = {&extend_way, NULL};

static const char *const release_call[] = {rdl_wire_call_release_multi, NULL};
static const struct rdl_way release_way = {.commands = release_call,
                                           .put = multi_put,
                                           .judge = rdl_script_judge,
                                           .script = &rdl_script_release_multi};
static const struct rdl_way *const release[] = {&release_way, NULL};

const struct rdl_op rdl_op_acquire_multi = {acquire, NULL, FAMILY_MULTI, 1, OWED_NOT};
const struct rdl_op rdl_op_extend_multi = {extend, NULL, FAMILY_MULTI, 0, OWED_NOT};
const struct rdl_op rdl_op_release_multi = {release, NULL, FAMILY_RELEASE_MULTI, 0, OWED_ALWAYS};
