# SPDX-License-Identifier: MIT
# net/net_request.c: R11: NOSCRIPT for an EVALSHA that EVAL may not follow does not mean no scripts
s/^        r->error = RDL_E_SERVER;/        ;/
