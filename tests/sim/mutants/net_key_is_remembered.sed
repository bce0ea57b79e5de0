# SPDX-License-Identifier: MIT
# net/net_request.c: R20: NOPERM for a key does not rule out the method for other keys
s/class == RDL_E_PERM && !is_command\(c->reply\)/0/
