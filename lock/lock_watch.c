/* SPDX-License-Identifier: MIT */
/*
 * lock_watch.c - compare, then change, for servers without scripts: WATCH, GET, PTTL, MULTI; then the
 * change and EXEC, or DISCARD.
 *
 * Other clients come between any two of these. So what they found is certain only after EXEC. "Not ours"
 * needs no EXEC.
 *
 * The change is sent after the reply to MULTI. If MULTI were refused, the change would run by itself, on
 * whatever the key holds by then.
 */
#include "lock/lock_op.h"

static int on_check_reply(struct rdl_conn *c, struct rdl_record *r, enum rdl_letter expected)
{
    enum { WATCH, GET, PTTL, MULTI };
    struct rdl_bytes own[RDL_TEXTS];

    if (r->replies == PTTL && c->reply_kind == RDL_RESP_ERROR) /* before 2.6, which has no PEXPIRE either */
        return RDL_OK;
    if (c->reply_kind == RDL_RESP_ERROR)
        return rdl_reply_error(c, r);
    if (r->replies == WATCH || r->replies == MULTI) {
        r->in_multi = r->replies == MULTI ? 1 : 0;
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNEXPECTED;
    }
    if (r->replies == PTTL) {
        r->is_long = c->reply_value >= (int64_t)r->ttl_ms ? 1 : 0;
        return c->reply_kind == RDL_RESP_INT ? RDL_OK : RDL_E_UNEXPECTED;
    }
    rdl_record_texts(r, own);
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK && !rdl_reply_is_text(c, own[expected]))
        r->verdict = RDL_ANSWER_NO;
    return c->reply_kind == RDL_RESP_BULK || c->reply_kind == RDL_RESP_NIL ? RDL_OK : RDL_E_UNEXPECTED;
}

/*
 * Reads the replies to the change and to EXEC. A nil EXEC: the key changed since the check, so check again.
 * Otherwise 1, a PTTL, or an OK. 0 or -2: the key expired, and the server did not count that as a change
 * (before 6.0.9).
 */
static int on_apply_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind == RDL_RESP_ERROR)
        return r->verdict == RDL_ANSWER_ERROR ? RDL_OK : rdl_reply_error(c, r);
    if (r->replies == 0)
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNEXPECTED;
    if (c->reply_kind == RDL_RESP_ARRAY && r->verdict == RDL_ANSWER_NONE) {
        r->error = RDL_E_SERVER; /* an error inside EXEC */
        if (c->reply_value == -1)
            r->verdict = RDL_ANSWER_ERROR;
        else
            r->verdict = c->reply_value <= 0 ? RDL_ANSWER_ABSENT : RDL_ANSWER_YES;
    }
    return c->reply_kind == RDL_RESP_ARRAY || c->reply_kind == RDL_RESP_NIL ? RDL_OK : RDL_E_UNEXPECTED;
}

int rdl_watch_on_reply(struct rdl_conn *c, struct rdl_record *r, enum rdl_letter expected)
{
    if (r->phase == RDL_PHASE_CHECK)
        return on_check_reply(c, r, expected);
    if (r->phase == RDL_PHASE_ABORT)
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNEXPECTED;
    return on_apply_reply(c, r);
}

uint8_t rdl_watch_next(const struct rdl_record *r)
{
    if (r->phase != RDL_PHASE_CHECK)
        return RDL_PHASE_CHECK;
    if (r->verdict == RDL_ANSWER_NONE && !r->is_refused)
        return r->is_long ? RDL_PHASE_VERIFY : RDL_PHASE_APPLY;
    return r->in_multi ? RDL_PHASE_ABORT : RDL_PHASE_CHECK;
}

/* ---------------------------------------------------------------- to extend, to release */

static int by_watch_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    return rdl_watch_on_reply(c, r, RDL_LETTER_V);
}

/*
 * A key that lives long enough is not extended, but its PTTL is read again. The PTTL of the check may be
 * that of another client's key, which was set after our GET. EXEC replies only if nothing has changed since.
 */
static const char *const extend_commands[] = RDL_WATCH_COMMANDS(rdl_wire_pexpire, rdl_wire_pttl);
const struct rdl_method rdl_method_extend_watch = {.commands = extend_commands,
                                                   .next_phase = rdl_watch_next,
                                                   .on_reply = by_watch_on_reply,
                                                   .take = rdl_take_numbers};

static const char *const release_commands[] = RDL_WATCH_COMMANDS(rdl_wire_del, rdl_wire_del);
const struct rdl_method rdl_method_release_watch = {.commands = release_commands,
                                                    .next_phase = rdl_watch_next,
                                                    .on_reply = by_watch_on_reply,
                                                    .take = rdl_take_numbers};
