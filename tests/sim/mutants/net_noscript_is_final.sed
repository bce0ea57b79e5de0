# SPDX-License-Identifier: MIT
# net/net_request.c: NOSCRIPT leads to the full text
s/is_noscript \|\| code == RDL_E_UNSUPPORTED/code == RDL_E_UNSUPPORTED/
