# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 2: it tells that nobody listens as if that were no error
s/^        end_by\(c, (err|errno), RDL_E_CONNECT\);$/        end(c, 0);/
