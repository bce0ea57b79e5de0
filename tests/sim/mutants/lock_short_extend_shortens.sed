# SPDX-License-Identifier: MIT
# lock/lock.c: an extend that was never sent does not shorten how long a release is pending
/^    l->sent_ms = now_ms; \/\* the key ends/d
