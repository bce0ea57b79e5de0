# SPDX-License-Identifier: MIT
# net/net_request.c: what an unknown error was passed over for is remembered when it worked
s/if \(r->passed == RDL_PASSED_OTHER && !r->is_refused/if (0 \&\& !r->is_refused/
