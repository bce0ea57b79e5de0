# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: another client's key is not extended
s/c->reply_value == 0 \? RDL_ANSWER_NO/c->reply_value == 0 ? RDL_ANSWER_YES/
