# SPDX-License-Identifier: MIT
# redlock/redlock.c: R22: the extend of a held lease ends after one attempt, waiting for connections included
s/r->deadline_ms = rdl_is_never\(r->until_ms\) \? UINT64_MAX.*;/r->deadline_ms = UINT64_MAX;/
