# SPDX-License-Identifier: MIT
# redlock/redlock.c: each attempt has its own token
s/^        rdl_token_next\(&r->token\);/        ;/
