# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R11: an abandoned request leaves MULTI
/^uint8_t rdl_watch_next/,/^}/s/if \(r->phase != RDL_PHASE_CHECK\)/if (r->phase != RDL_PHASE_CHECK || (r->req == NULL \&\& !r->op->must_send))/
