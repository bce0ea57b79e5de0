/* SPDX-License-Identifier: MIT */
/*
 * lock_requests.c - the requests of a plain lock: its operations, and the methods to extend and to release.
 *
 * SET NX PX acquires. The PTTL after it reports how long the holder has left, without another round trip.
 * Extend and release use the methods that the conn's configuration names. A method is an object, so that a
 * static link by sections (-fdata-sections, --gc-sections) drops those that are not named.
 */
#include "lock/lock_op.h"
#include "resp/resp_bytes.h"

/* ---------------------------------------------------------------- the operations */

int rdl_set_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int rc = RDL_OK;

    if (r->replies == 1) { /* PTTL */
        if (r->verdict == RDL_ANSWER_NO)
            rdl_record_complete(r, c->reply_kind == RDL_RESP_INT ? c->reply_value : -2);
        return c->reply_kind == RDL_RESP_INT || c->reply_kind == RDL_RESP_ERROR ? RDL_OK : RDL_E_UNEXPECTED;
    }
    if (c->reply_kind == RDL_RESP_NIL) {
        r->verdict = RDL_ANSWER_NO;
        return RDL_OK;
    }
    if (rdl_reply_is_ok(c)) /* "QUEUED", for example, grants nothing */
        r->verdict = RDL_ANSWER_YES;
    else
        rc = rdl_reply_error(c, r);
    if (rc == RDL_OK)
        rdl_record_complete(r, 0);
    return rc;
}

static const struct rdl_method acquire_method = {.commands = RDL_COMMANDS(rdl_wire_set_nx_px, rdl_wire_pttl),
                                                 .on_reply = rdl_set_on_reply};
const struct rdl_op rdl_op_acquire = {.methods = RDL_METHOD(&acquire_method), .may_grant = 1};
const struct rdl_op rdl_op_extend = {.family = RDL_FAMILY_EXTEND, .fallback_family = RDL_FAMILY_EXTEND};
const struct rdl_op rdl_op_release = {
    .family = RDL_FAMILY_RELEASE, .must_send = RDL_SEND_ALWAYS, .fallback_family = RDL_FAMILY_RELEASE};
const struct rdl_op rdl_op_release_strict = {.family = RDL_FAMILY_RELEASE, .must_send = RDL_SEND_ALWAYS};

const struct rdl_op *const rdl_plain_ops[] = {&rdl_op_acquire, &rdl_op_extend, &rdl_op_release};

/* ---------------------------------------------------------------- by script */

/*
 * The server compares and changes in one step. It works when the server is out of memory, and never shortens
 * a lease.
 */

int rdl_script_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    if (c->reply_value < -1 || c->reply_value > 1)
        return RDL_E_UNEXPECTED;
    r->verdict = (uint8_t)(RDL_ANSWER_NO - (int)c->reply_value); /* 1: YES, 0: NO, -1: ABSENT */
    return RDL_OK;
}

int rdl_script_on_grant_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_ARRAY)
        return rdl_reply_error(c, r);
    if (c->reply_items < 2 || c->reply_value < 0 || c->reply_value > 1)
        return RDL_E_UNEXPECTED;
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    rdl_record_complete(r, c->reply_second);
    return RDL_OK;
}

const struct rdl_method rdl_method_extend_script = {.commands = RDL_COMMANDS(rdl_wire_call_extend),
                                                    .on_reply = rdl_script_on_reply,
                                                    .script = &rdl_script_extend};

const struct rdl_method rdl_method_release_script = {.commands = RDL_COMMANDS(rdl_wire_call_release),
                                                     .on_reply = rdl_script_on_reply,
                                                     .script = &rdl_script_release};

const struct rdl_methods rdl_methods_script = {
    {RDL_METHOD(&rdl_method_extend_script), RDL_METHOD(&rdl_method_release_script)}};

/* ---------------------------------------------------------------- by a command that compares */

/*
 * Release by DELEX (Redis 8.4), DELIFEQ (Valkey 9). The PTTL after it shows whether the key is gone or held
 * by another client.
 */

/* Reads the reply to PTTL. If it is refused, the key may be gone or held by another client. */
static int by_delete_on_pttl_reply(const struct rdl_conn *c, struct rdl_record *r)
{
    if (c->reply_kind != RDL_RESP_INT && c->reply_kind != RDL_RESP_ERROR)
        return RDL_E_UNEXPECTED;
    if (r->verdict != RDL_ANSWER_NO)
        return RDL_OK;
    if (c->reply_kind == RDL_RESP_ERROR) {
        r->verdict = RDL_ANSWER_UNKNOWN;
        r->error = (int8_t)rdl_error_code(c->reply);
    } else if (c->reply_value == -2) {
        r->verdict = RDL_ANSWER_ABSENT;
    }
    return RDL_OK;
}

static int by_delete_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    if (r->replies == 1)
        return by_delete_on_pttl_reply(c, r);
    if (c->reply_kind != RDL_RESP_INT)
        return rdl_reply_error(c, r);
    r->verdict = c->reply_value == 1 ? RDL_ANSWER_YES : RDL_ANSWER_NO;
    if (r->verdict == RDL_ANSWER_YES)
        rdl_record_complete(r, 0);
    return RDL_OK;
}

const struct rdl_method rdl_method_delex = {.commands = RDL_COMMANDS(rdl_wire_delex, rdl_wire_pttl),
                                            .on_reply = by_delete_on_reply};

const struct rdl_method rdl_method_delifeq = {.commands = RDL_COMMANDS(rdl_wire_delifeq, rdl_wire_pttl),
                                              .on_reply = by_delete_on_reply};

/* ---------------------------------------------------------------- by WATCH */

/*
 * Compare, then change, for servers without scripts: WATCH, GET, PTTL, MULTI; then the change and EXEC, or
 * DISCARD.
 *
 * Other clients come between any two of these. So what they found is certain only after EXEC. "Not ours"
 * needs no EXEC.
 *
 * The change is sent after the reply to MULTI. If MULTI were refused, the change would run by itself, on
 * whatever the key holds by then.
 */

static int on_check_reply(struct rdl_conn *c, struct rdl_record *r, int is_same)
{
    enum { WATCH, GET, PTTL, MULTI };

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
    if (c->reply_kind == RDL_RESP_NIL)
        r->verdict = RDL_ANSWER_ABSENT;
    else if (c->reply_kind == RDL_RESP_BULK && !is_same)
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

int rdl_watch_on_reply(struct rdl_conn *c, struct rdl_record *r, int is_same)
{
    if (r->phase == RDL_PHASE_CHECK)
        return on_check_reply(c, r, is_same);
    if (r->phase == RDL_PHASE_ABORT)
        return c->reply_kind == RDL_RESP_STATUS ? RDL_OK : RDL_E_UNEXPECTED;
    return on_apply_reply(c, r);
}

uint8_t rdl_watch_next(const struct rdl_record *r)
{
    if (r->phase != RDL_PHASE_CHECK)
        return RDL_PHASE_CHECK;
    if (r->verdict == RDL_ANSWER_NONE) /* no reply was an error */
        return r->is_long ? RDL_PHASE_VERIFY : RDL_PHASE_APPLY;
    return r->in_multi ? RDL_PHASE_ABORT : RDL_PHASE_CHECK;
}

/*
 * Compares the value as it arrives, because the conn may keep only its beginning. reply_items is how many
 * bytes are the same; DIFFERS: one is not, or there are more.
 */
enum { DIFFERS = UINT8_MAX };

static void by_watch_take(struct rdl_conn *c, const struct rdl_record *r, const struct rdl_resp_event *ev)
{
    struct rdl_bytes own[RDL_TEXTS];
    const char *value;
    size_t i;

    if (c->reply_kind != RDL_RESP_BULK) {
        rdl_take_numbers(c, r, ev);
        return;
    }
    rdl_record_texts(r, own);
    value = own[RDL_LETTER_V].data;
    for (i = 0; i < ev->len && c->reply_items != DIFFERS; i++) {
        int is_same = c->reply_items < r->value_len && value[c->reply_items] == (char)ev->data[i];
        c->reply_items = is_same ? (uint8_t)(c->reply_items + 1) : DIFFERS;
    }
}

static int by_watch_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    return rdl_watch_on_reply(c, r, c->reply_items == r->value_len);
}

/*
 * A key that lives long enough is not extended, but its PTTL is read again. The PTTL of the check may be
 * that of another client's key, which was set after our GET. EXEC replies only if nothing has changed since.
 */
static const char *const extend_commands[] = RDL_WATCH_COMMANDS(rdl_wire_pexpire, rdl_wire_pttl);
const struct rdl_method rdl_method_extend_watch = {.commands = extend_commands,
                                                   .next_phase = rdl_watch_next,
                                                   .on_reply = by_watch_on_reply,
                                                   .take = by_watch_take};

static const char *const release_commands[] = RDL_WATCH_COMMANDS(rdl_wire_del, rdl_wire_del);
const struct rdl_method rdl_method_release_watch = {.commands = release_commands,
                                                    .next_phase = rdl_watch_next,
                                                    .on_reply = by_watch_on_reply,
                                                    .take = by_watch_take};

/* ---------------------------------------------------------------- all methods to extend and to release */

static const struct rdl_method *const extend_all[] = {&rdl_method_extend_script, &rdl_method_extend_watch,
                                                      NULL};
RDL_METHODS_FIT(extend_all);
static const struct rdl_method *const release_all[] = {&rdl_method_release_script, &rdl_method_delex,
                                                       &rdl_method_delifeq, &rdl_method_release_watch, NULL};
RDL_METHODS_FIT(release_all);

const struct rdl_methods rdl_methods_all = {{extend_all, release_all}};

/* ---------------------------------------------------------------- the keys next to a lock's */

static int has_brace(struct rdl_bytes name)
{
    const char *text = name.data;
    size_t i;

    for (i = 0; i < name.len; i++) {
        if (text[i] == '}')
            return 1;
    }
    return 0;
}

size_t rdl_side_key(char *out, struct rdl_bytes name, const char *suffix)
{
    int is_tagged = has_brace(name);
    size_t n = 0;

    if (!is_tagged)
        out[n++] = '{';
    rdl_copy(out + n, name.data, name.len);
    n += name.len;
    if (!is_tagged)
        out[n++] = '}';
    while (*suffix != '\0')
        out[n++] = *suffix++;
    return n;
}
