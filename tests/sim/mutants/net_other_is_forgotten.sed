# SPDX-License-Identifier: MIT
# net/net_request.c: R20: an unknown error is remembered once a later method has worked
s/if \(r->skipped == RDL_SKIPPED_ERROR && !r->is_refused/if (0 \&\& !r->is_refused/
