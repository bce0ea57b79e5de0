/* SPDX-License-Identifier: MIT */
/*
 * Values at the canary's key that are no canary: another type, or a long string. The library replaces a
 * canary of another run but leaves these alone. So their server never counts.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/foreign_canary.h"
#include "lock/lock_lease.h"
#include "lock/lock_op.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/servers/connections.h"
#include "redlock/cli/servers/lock.h"
#include "redlock/cli/servers/risks.h"
#include "redlock/redlock.h"

/* NO: the value is no canary, and the library does not replace it. */
static int foreign_on_reply(struct rdl_conn *c, struct rdl_record *r)
{
    int is_foreign = c->reply_kind == RDL_RESP_BULK && c->reply_len > RDL_VALUE_MAX;

    if (c->reply_kind == RDL_RESP_ERROR) {
        if (rdl_error_code(c->reply) != RDL_E_WRONGTYPE)
            return rdl_reply_error(c, r);
        is_foreign = 1;
    }
    r->verdict = is_foreign ? RDL_ANSWER_NO : RDL_ANSWER_YES;
    return RDL_OK;
}

static const struct rdl_method get_method = {.commands = RDL_COMMANDS(rdl_wire_get),
                                             .on_reply = foreign_on_reply};
const struct rdl_op rdl_cli_op_canary = {.methods = RDL_METHOD(&get_method)};

static void warn_of(const struct rdl_cli_lock *l, size_t i)
{
    struct rdl_cli_finding f;

    rdl_cli_risk_canary(&f, rdl_cli_where(l->servers, i));
    rdl_cli_warn_of(&f);
}

int rdl_cli_canary_is_foreign(const struct rdl_cli_lock *l)
{
    static unsigned foreign; /* a bit for each server */
    size_t n = 0;

    for (size_t i = 0; l->o->canary && i < l->servers->n; i++) {
        if (l->canaries[i].error != RDL_E_WRONGTYPE)
            continue;
        if ((foreign & 1u << i) == 0)
            warn_of(l, i);
        foreign |= 1u << i;
        n++;
    }
    return n > (l->servers->n - 1) / 2;
}
