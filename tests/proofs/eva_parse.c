/* SPDX-License-Identifier: MIT */
/*
 * eva_parse.c - one call of the parser from ANY state that the invariant allows, on ANY bytes of ANY length
 * up to N. The invariant holds again after the call, so it holds for ever.
 */
#include "resp/resp_parse.c"

#include "__fc_builtin.h"

#ifndef N
#define N 1048576
#endif

static uint8_t buf[N];

int main(void)
{
    struct rdl_resp p;
    struct rdl_resp_event ev;
    size_t used;
    size_t len = (size_t)Frama_C_unsigned_int_interval(0, N);
    int result;

    Frama_C_make_unknown((char *)buf, N);
    Frama_C_make_unknown((char *)&p, sizeof p);
    p.state = Frama_C_unsigned_char_interval(ST_TYPE, ST_LIMIT);
    p.first = Frama_C_unsigned_char_interval(0, 1);
    p.neg = Frama_C_unsigned_char_interval(0, 1);
    p.announced = Frama_C_unsigned_int_interval(0, RDL_VALUES_MAX);
    p.due = Frama_C_unsigned_int_interval(0, RDL_VALUES_MAX);
#ifdef SPLIT
    //@ split len;
    //@ split p.state;
#endif
    result = rdl_resp_next(&p, buf, len, &used, &ev);
    //@ assert invariant_state: p.state <= ST_LIMIT && p.first <= 1 && p.neg <= 1;
    //@ assert invariant_announced: p.announced <= RDL_VALUES_MAX;
#ifdef SPLIT
    //@ assert used: used <= len;
    //@ assert slice: result == 0 ==> ev.len <= len;
#endif
    return result;
}
