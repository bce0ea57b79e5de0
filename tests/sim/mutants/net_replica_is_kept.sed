# SPDX-License-Identifier: MIT
# net/net_request.c: READONLY drops the connection
s/if \(code == RDL_E_READONLY\)/if (code == RDL_OK)/
