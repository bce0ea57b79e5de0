/* SPDX-License-Identifier: MIT */
/*
 * net_method.c - which methods this server accepts for a request, and which scripts it has.
 *
 * The server's reply decides, never its version. A refusal is remembered as long as the connection lasts. A
 * refusal that concerns one request alone, because of its key, is in its record: that has skipped all
 * methods before its own.
 */
#include "net/net_private.h"

/* rdl_conn.refused: a bit for each refused method, one that is always 0 at the end, and these. */
enum {
    METHODS_MAX = 5,
    SWITCHED_OFF = 1 << (METHODS_MAX + 1), /* one was refused, but not as forbidden or unknown */
    FORBIDDEN = SWITCHED_OFF << 1          /* the last one was refused as forbidden */
};
typedef char refusals_have_bits[FORBIDDEN <= UINT8_MAX ? 1 : -1]; /* compiles only if they fit */

const struct rdl_method *rdl_method_of(const struct rdl_conn *c, const struct rdl_record *r)
{
    const struct rdl_method *const *methods = r->op->methods;

    RDL_ASSERT(methods != NULL || r->op->family - 1u < RDL_METHOD_FAMILIES);
    if (methods == NULL)
        methods = c->cfg->methods->of[r->op->family - 1];
    return methods[r->method];
}

const struct rdl_method *rdl_method_choose(const struct rdl_conn *c, struct rdl_record *r)
{
    const struct rdl_method *method;

    for (;;) {
        RDL_ASSERT(r->op->family < RDL_FAMILIES);
        while (c->refused[r->op->family] >> r->method & 1)
            r->method++;
        method = rdl_method_of(c, r);
        if (method != NULL || r->op->then == NULL)
            return method;
        r->op = r->op->then;
        r->method = 0;
    }
}

void rdl_method_refuse(struct rdl_conn *c, const struct rdl_record *r)
{
    unsigned refused = c->refused[r->op->family] & ~(unsigned)FORBIDDEN;

    RDL_ASSERT(r->method < METHODS_MAX);
    if (rdl_error_code(c->reply) == RDL_E_PERM)
        refused |= FORBIDDEN;
    else if ((c->reply[4] | 0x20) != 'u') /* "ERR unknown", "ERR Unknown" */
        refused |= SWITCHED_OFF;
    c->refused[r->op->family] = (uint8_t)(refused | 1u << r->method);
}

/* r has skipped the first method of that family, or it would have nothing to remember. */
void rdl_method_learn(struct rdl_conn *c, const struct rdl_record *r)
{
    c->refused[r->op->family] |= (uint8_t)((1u << r->method) - 1);
    c->refused[r->op->fallback_family] |= 1;
}

int rdl_conn_is_switched_off(const struct rdl_conn *c, const struct rdl_op *op)
{
    return (c->refused[op->family] & SWITCHED_OFF) != 0;
}

int rdl_method_error(const struct rdl_conn *c, const struct rdl_record *r)
{
    return (c->refused[r->op->family] & FORBIDDEN) != 0 ? RDL_E_PERM : RDL_E_UNSUPPORTED;
}

int rdl_conn_refuses(const struct rdl_conn *c, const struct rdl_op *op)
{
    struct rdl_record r;

    if (c->cfg->methods == NULL)
        return RDL_E_METHODS;
    r.op = op;
    r.method = 0;
    return rdl_method_choose(c, &r) != NULL ? RDL_OK : rdl_method_error(c, &r);
}

/* ---------------------------------------------------------------- EVAL or EVALSHA */

/* rdl_conn.scripts: a bit for each script whose text was sent, and this one if EVALSHA itself is refused. */
enum { SHA_BARRED = 1 << RDL_SCRIPTS_MAX };
typedef char
    scripts_have_bits[RDL_SCRIPTS_MAX < 15 ? 1 : -1]; /* compiles only if an int of 16 bits has them */

int rdl_sha_select(struct rdl_conn *c, const struct rdl_script *s)
{
    uint16_t bit = (uint16_t)(1u << s->number);
    int is_known = (c->scripts & (SHA_BARRED | bit)) == bit;

    RDL_ASSERT(s->number < RDL_SCRIPTS_MAX);
    c->scripts |= bit;
    return is_known;
}

/* A server that has forgotten one script has forgotten all. */
void rdl_sha_forget(struct rdl_conn *c, int is_noscript)
{
    c->scripts = is_noscript ? 0 : SHA_BARRED;
}
