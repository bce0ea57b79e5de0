/* SPDX-License-Identifier: MIT */
/*
 * net_op_wake.c - the wake hint: a release that puts an element into {name}:wake, and the wait for it.
 *
 * The list says "try now", never "it is yours". Redis serves those who wait in the order in which they came,
 * one for each element, so a release wakes one waiter and not the herd.
 */
#include "net/net_private.h"
#include "resp/resp_bytes.h"

/* The list is b, and behind it `last`. */
static void wake_put(struct rdl_window *w, const char *const *commands,
                     const struct rdl_bytes own[RDL_LETTERS], const char *letters, struct rdl_bytes last)
{
    char key[RDL_NAME_MAX + 2 + RDL_SUFFIX_MAX];
    struct rdl_bytes all[RDL_LETTERS + 2];
    struct rdl_args args = {letters, NULL, RDL_LETTERS + 2};

    rdl_copy(all, own, RDL_LETTERS * sizeof *all);
    all[RDL_LETTERS].data = key;
    all[RDL_LETTERS].len = rdl_side_key(key, own[LETTER_K], ":wake");
    all[RDL_LETTERS + 1] = last;
    args.arg = all;
    rdl_window_commands(w, commands, &args);
}

/* ---------------------------------------------------------------- telling */

static void release_put(struct rdl_window *w, const char *const *commands,
                        const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                        const struct rdl_record *r)
{
    /* ms, of an element nobody took: whoever waits later than that has seen the lock free */
    static const struct rdl_bytes life = {"1000", 4};

    (void)c;
    (void)r;
    wake_put(w, commands, own, RDL_RECORD_LETTERS "bh", life);
}

static const char *const release_call[] = {rdl_wire_call_release_wake, NULL};
static const struct rdl_way release_way = {.commands = release_call,
                                           .put = release_put,
                                           .judge = rdl_script_judge,
                                           .script = &rdl_script_release_wake};
static const struct rdl_way *const release[] = {&release_way, NULL};

/* Only a script can tell and delete in one; where it is refused the lock is at least released. */
const struct rdl_op rdl_op_release_wake = {release, &rdl_op_release, FAMILY_WAKE, 0, OWED_ALWAYS};

/* ---------------------------------------------------------------- waiting */

/*
 * Seconds for BLPOP, rounded up. 0 would block for ever, and Redis 6.0 cuts 0.001 down to it: 0.002 is the
 * least.
 */
static size_t seconds(char out[RDL_DEC_MAX + 4], uint32_t ms, int is_whole)
{
    size_t n;
    uint32_t part;

    if (ms < 2)
        ms = 2;
    part = ms % 1000;
    n = rdl_dec_u32(out, ms / 1000 + (is_whole && part != 0));
    if (is_whole || part == 0)
        return n;
    out[n] = '.';
    out[n + 1] = (char)('0' + part / 100);
    out[n + 2] = (char)('0' + part / 10 % 10);
    out[n + 3] = (char)('0' + part % 10);
    return n + 4;
}

static void wait_put(struct rdl_window *w, const char *const *commands,
                     const struct rdl_bytes own[RDL_LETTERS], const struct rdl_conn *c,
                     const struct rdl_record *r)
{
    char text[RDL_DEC_MAX + 4];
    const struct rdl_bytes timeout = {text, seconds(text, r->ttl_ms, r->way != 0)};

    (void)c;
    wake_put(w, commands, own, RDL_RECORD_LETTERS "bt", timeout);
}

static int wait_judge(struct rdl_conn *c, struct rdl_record *r)
{
    int rc;

    if (c->reply_kind == RDL_RESP_ARRAY || c->reply_kind == RDL_RESP_NIL) {
        r->verdict = c->reply_kind == RDL_RESP_ARRAY ? RDL_ANSWER_YES : RDL_ANSWER_NO;
        return RDL_OK;
    }
    rc = rdl_reply_error(c, r);
    if (rc == RDL_OK && rdl_has_prefix(c->reply, "ERR timeout")) { /* ... is not an integer: before 6.0 */
        rdl_way_refuse(c, r);
        r->is_refused = 1;
    }
    if (r->verdict == RDL_ANSWER_NO) { /* the list is none: there will be no hint */
        r->verdict = RDL_ANSWER_ERROR;
        r->error = RDL_E_WRONGTYPE;
    }
    return rc;
}

static const char *const blpop[] = {rdl_wire_blpop, NULL};
static const struct rdl_way wait_way = {.commands = blpop, .put = wait_put, .judge = wait_judge};
/* With parts of a second; where they are refused, with whole ones. */
static const struct rdl_way *const wait[] = {&wait_way, &wait_way, NULL};

const struct rdl_op rdl_op_wait = {wait, NULL, FAMILY_WAIT, 0, OWED_NOT};
