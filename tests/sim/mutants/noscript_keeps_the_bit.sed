# SPDX-License-Identifier: MIT
# net/net_method.c: NOSCRIPT: the text goes out again
s/c->scripts = is_noscript \? 0 : SHA_BARRED;/c->scripts |= is_noscript ? 0 : SHA_BARRED;/
