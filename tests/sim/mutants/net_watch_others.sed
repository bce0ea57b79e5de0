# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: by WATCH: another client's key is left alone
s/!rdl_reply_is_text\(c, own\[expected\]\)/rdl_reply_is_text(c, (struct rdl_bytes){NULL, 0})/
