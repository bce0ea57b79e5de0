# SPDX-License-Identifier: MIT
# lock/lock.c: R10: an extend that was never sent does not shorten a pending release
/^    l->sent_ms = now_ms; \/\* the key ends/d
