# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: where no script may, a canary is made all the same
s/^        r->is_refused = 1;/        ;/
