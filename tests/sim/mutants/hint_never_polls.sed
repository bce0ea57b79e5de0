# SPDX-License-Identifier: MIT
# lock/lock_hint.c: R32: a waiter polls beside strangers that send no hints
s/most_ms = usual_ms;/;/
