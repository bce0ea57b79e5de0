# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 17: the socket of a refused connect stays open
s/^        end_by\(c, (err|errno), RDL_E_CONNECT\);$/        c->fd = -1, end_by(c, \1, RDL_E_CONNECT);/
