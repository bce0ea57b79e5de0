# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: of an even number a majority gets its canaries at once
s/^        return r->canaries != NULL && pending > 0 &&/        return r->canaries == NULL \&\& pending > r->n \&\&/
