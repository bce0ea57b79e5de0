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
    default:
        break;
    }
    text = rdl_lock_strerror(result);
    return text != NULL ? text : "unknown result";
}
