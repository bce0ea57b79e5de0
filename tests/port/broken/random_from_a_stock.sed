# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 20: it draws for many calls at once, and a child after fork has the same stock
s/^    return rdl_posix_random\(buf, len\);$/    static uint8_t stock[256];\
    static size_t left;\
    if (left < len \&\& rdl_posix_random(stock, left = sizeof stock) != RDL_OK)\
        return RDL_E_RANDOM;\
    memcpy(buf, stock + (left -= len), len);\
    return RDL_OK;/
