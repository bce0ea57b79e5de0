# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R25: the result waits until it is certain whether the lock is busy
s/if \(now_ms < r->wake_ms && is_undecided\(r\)\) \{/if (0) {/
