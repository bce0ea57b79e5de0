# SPDX-License-Identifier: MIT
# net/net_request.c: R20: READONLY drops the connection
s/if \(class == RDL_E_READONLY\)/if (class == RDL_OK)/
