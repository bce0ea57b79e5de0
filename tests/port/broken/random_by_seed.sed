# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 20: its random numbers come from a constant seed
s/^    return rdl_posix_random\(buf, len\);$/    static uint32_t seed = 1;\
    for (size_t k = 0; k < len; k++)\
        ((uint8_t *)buf)[k] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);\
    return RDL_OK;/
