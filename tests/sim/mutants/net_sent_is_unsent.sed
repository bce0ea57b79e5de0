# SPDX-License-Identifier: MIT
# net/net_request.c: R7: a request that was sent is unknown, not undone
/^static void answer_without_reply/,/^}/s/was_sent \|\| req->may_be_second/req->may_be_second/
