# SPDX-License-Identifier: MIT
# lock/lock.c: R6: each attempt has its own token (one server)
s/^        rdl_token_next\(&l->token\);/        ;/
