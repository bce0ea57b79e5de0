# SPDX-License-Identifier: MIT
# lock/lock.c: each attempt has its own token (one server)
s/^        rdl_token_next\(&l->token\);/        ;/
