/* SPDX-License-Identifier: MIT */
/* What the servers did with each token of a world, found by its text. */
#include "tests/sim/sim.h"

#include <string.h>

void token_hex(const struct rdl_token *t, char hex[2 * RDL_TOKEN_LEN])
{
    for (int i = 0; i < RDL_TOKEN_LEN; i++) {
        hex[2 * i] = "0123456789abcdef"[t->bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[t->bytes[i] & 15];
    }
}

struct token *token_find(struct world *w, const char *hex, int create)
{
    uint64_t h, tail;
    memcpy(&h, hex, sizeof h);
    memcpy(&tail, hex + 2 * RDL_TOKEN_LEN - sizeof tail, sizeof tail);
    h = (h ^ tail * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    for (uint32_t i = (uint32_t)(h >> 40), n = 0; n < TOKENS; i++, n++) {
        struct token *t = &w->token[i % TOKENS];
        if (t->used == w->run && memcmp(t->hex, hex, sizeof t->hex) == 0)
            return t;
        if (t->used == w->run)
            continue;
        if (!create)
            return NULL;
        memset(t, 0, sizeof *t);
        t->used = w->run;
        t->first_us = t->extend_us = NEVER;
        memcpy(t->hex, hex, sizeof t->hex);
        return t;
    }
    world_violation(w, "simulator", "more than %d tokens", TOKENS);
    return NULL;
}
