/* SPDX-License-Identifier: MIT */
/* resp_strerror.c - the version, and this layer's results in words. */
#include "resp/resp.h"

const char *rdl_version(void)
{
    return RDL_VERSION;
}

const char *rdl_resp_strerror(int result)
{
    switch (result) {
    case RDL_OK:
        return "done";
    case RDL_PENDING:
        return "not finished";
    case RDL_E_SYNTAX:
        return "the peer does not speak RESP2";
    case RDL_E_LIMIT:
        return "the reply is larger than accepted";
    case RDL_E_SPACE:
        return "the command does not fit the buffer";
    default:
        return NULL;
    }
}
