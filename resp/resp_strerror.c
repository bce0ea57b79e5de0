/* SPDX-License-Identifier: MIT */
/*
 * resp_strerror.c - the version, and a text for every result of every layer.
 *
 * Each layer has its texts next to its results. They are joined only here, so this file includes headers of
 * the layers above, as no other file may (tests/house/layers.sh).
 */
#include "resp/resp.h"

#include "lock/lock_results.h"
#include "net/net.h"
#include "redlock/redlock_results.h"

#define RESULT_TEXTS(X)         RDL_RESP_TEXTS(X) RDL_NET_TEXTS(X) RDL_LOCK_TEXTS(X) RDL_REDLOCK_TEXTS(X)
#define RESULT_CODE(code, text) code,
#define RESULT_TEXT(code, text) text "\0"

/* Without pointers: the i-th text belongs to the i-th code. */
static const signed char result_codes[] = {RESULT_TEXTS(RESULT_CODE)};
static const char result_texts[] = RESULT_TEXTS(RESULT_TEXT);

const char *rdl_version(void)
{
    return RDL_VERSION;
}

const char *rdl_strerror(int result)
{
    const char *text = result_texts;
    size_t i;

    for (i = 0; i < sizeof result_codes; i++) {
        if (result_codes[i] == result)
            return text;
        while (*text++ != '\0') {
        }
    }
    return "unknown result";
}
