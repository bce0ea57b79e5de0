# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 17: the socket of a refused connect stays open
s/failed\(c, (why|err|errno), RDL_E_CONNECT\);$/(c->fd = -1, failed(c, \1, RDL_E_CONNECT));/
