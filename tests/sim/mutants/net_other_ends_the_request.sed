# SPDX-License-Identifier: MIT
# net/net_request.c: R20: an unknown error leads to the next method
s|return r->op->fallback_family != 0|return 0|
