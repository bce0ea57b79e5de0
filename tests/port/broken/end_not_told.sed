# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 4: the end that the peer made is not told
s/^            end\(c, RDL_E_CLOSED\);$/            return 0;/
