# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: another client's key is not extended
s/\(RDL_ANSWER_NO - \(int\)c->reply_value\)/(c->reply_value >= 0 ? RDL_ANSWER_YES : RDL_ANSWER_ABSENT)/
