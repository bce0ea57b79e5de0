/* SPDX-License-Identifier: MIT */
/* lock_strerror.c - the results of lock/ in words. */
#include "lock/lock.h"

static const char *const lock_news[] = {
    "taken over from a holder whose time was up",
    "extended, and put back where it was missing",
    "adopted",
    NULL, /* of redlock */
    "released; a waiter had written over it, and that was deleted",
};

static const char *const lock_errors[] = {
    "a lock's name has 1 to 128 bytes",
    "the ttl is 0, too long, or under four attempts",
    "somebody else holds the lock",
    "the lock is lost",
    "the lease was over",
    "no answer: done or not done",
    "the key holds something that is not a lock of this kind",
    "fencing needs scripts, which the server refuses",
    "several locks at once need scripts, which the server refuses",
    "a waiter wrote over the lock: its key stays until what he wrote is over",
};

const char *rdl_lock_strerror(int result)
{
    int i = RDL_E_NAME - result;
    int k = result - RDL_RECOVERED;

    if (i >= 0 && i < (int)(sizeof lock_errors / sizeof lock_errors[0]))
        return lock_errors[i];
    if (k >= 0 && k < (int)(sizeof lock_news / sizeof lock_news[0]))
        return lock_news[k];
    return rdl_net_strerror(result);
}
