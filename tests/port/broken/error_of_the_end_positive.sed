# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 4: a reset is reported by errno
s/^            end_by\(c, errno, RDL_E_CLOSED\);$/            end(c, errno);/
s/^        end_by\(c, err, RDL_E_CLOSED\);$/        end(c, err);/
