# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: by WATCH: another client's key is left alone
s/c->reply_kind == RDL_RESP_BULK && !is_same/c->reply_kind == RDL_RESP_BULK \&\& !is_same \&\& c->reply_len == 0/
