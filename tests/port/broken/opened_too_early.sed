# SPDX-License-Identifier: MIT
# net/net_posix.c: rule 1: it reports opened while it still connects
s/errno == EINPROGRESS \|\| errno == EINTR\)(.*)$/errno == EINPROGRESS \&\& (rdl_conn_opened(c), 1))/
