# SPDX-License-Identifier: MIT
# net/net_request.c: R11: an abandoned request gets no reply
/^static void answer_without_reply/,/^}/s/^    r->req = NULL;$/    ;/
