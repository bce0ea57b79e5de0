# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R26: with an even N a majority gets its canaries at once
s/^        return r->canaries != NULL && pending > 0 &&/        return r->canaries == NULL \&\& pending > r->n \&\&/
