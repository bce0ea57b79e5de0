# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R14: only refusals make a lock busy, not replies still to come
s/if \(is_busy\(r, denied\)\)/if (is_busy(r, denied + 1))/
