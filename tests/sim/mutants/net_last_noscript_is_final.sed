# SPDX-License-Identifier: MIT
# net/net_request.c: a refused EVALSHA that EVAL may not follow is no want of scripts
s/^        r->error = RDL_E_SERVER;/        ;/
