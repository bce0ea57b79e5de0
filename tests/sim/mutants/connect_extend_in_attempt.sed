# SPDX-License-Identifier: MIT
# lock/lock.c: an extend or a release has the time of an attempt to connect, log in and ask
s/state == RDL_CONN_READY \|\| state == RDL_CONN_CLOSED/l->op != RDL_ACQUIRE || state == RDL_CONN_READY || state == RDL_CONN_CLOSED/
