/* SPDX-License-Identifier: MIT */
/* redlock_strerror.c - every result of libredlock in words. */
#include "redlock/redlock.h"

const char *rdl_strerror(int result)
{
    const char *text;

    switch (result) {
    case RDL_NO_QUORUM:
        return "too few servers could be asked";
    case RDL_E_SERVERS:
        return "a lock has 1 to 7 servers";
    case RDL_E_GUARD:
        return "the options do not say which restart guard";
    case RDL_E_QUARANTINE:
        return "too many servers restarted too recently to count";
    case RDL_E_TWICE:
        return "the same server as another one, behind a second address";
    case RDL_REACQUIRED:
        return "held again, but not without a gap: somebody else may have held it";
    case RDL_E_FACTS:
        return "a connection has no room for its server's facts (rdl_conn_config.facts)";
    case RDL_E_CAP:
        return "held for as long as the options allow";
    case RDL_RESUMED:
        return "resumed after a gap";
    default:
        break;
    }
    text = rdl_lock_strerror(result);
    return text != NULL ? text : "unknown result";
}
