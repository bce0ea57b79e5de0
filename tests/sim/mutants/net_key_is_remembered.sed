# SPDX-License-Identifier: MIT
# net/net_request.c: NOPERM for a key is no refusal of the method to others
s/class == RDL_E_PERM && !is_command\(c->reply\)/0/
