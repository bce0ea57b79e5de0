# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R6: each attempt has its own token
s/^    rdl_token_next\(&r->token\);/    ;/
