# SPDX-License-Identifier: MIT
# net/net_request.c: R20: after NOSCRIPT the text is sent again
s/c->scripts = is_noscript \? 0 : SHA_BARRED;/c->scripts |= is_noscript ? 0 : SHA_BARRED;/
