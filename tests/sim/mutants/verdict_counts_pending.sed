# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: busy is what refusals say, not what is still to come
s/if \(is_busy\(r, denied\)\)/if (is_busy(r, denied + 1))/
