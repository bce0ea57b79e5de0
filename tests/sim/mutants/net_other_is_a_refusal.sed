# SPDX-License-Identifier: MIT
# net/net_request.c: R20: an unknown error is remembered only after a later method has worked
s/&& !r->is_refused && r->verdict != RDL_ANSWER_ERROR/\&\& 1/
