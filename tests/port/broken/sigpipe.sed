# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 18: a send to a closed peer raises SIGPIPE
s/MSG_NOSIGNAL \| MSG_DONTWAIT/MSG_DONTWAIT/
