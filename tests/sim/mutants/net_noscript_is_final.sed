# SPDX-License-Identifier: MIT
# net/net_request.c: R20: NOSCRIPT leads to the full text
s/    else if \(r->is_sha\)/    else if (r->is_sha \&\& !rdl_has_prefix(c->reply, "NOSCRIPT"))/
