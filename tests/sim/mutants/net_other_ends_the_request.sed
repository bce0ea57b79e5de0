# SPDX-License-Identifier: MIT
# net/net_request.c: R20: an unknown error leads to the next method
s/class == RDL_OTHER \? r->op->fallback_family != 0/class == RDL_OTHER ? 0/
