# SPDX-License-Identifier: MIT
# lock/lock.c: R22: an extend or a release has one attempt's time for each of connect, login and request
s/: state != RDL_CONN_READY && state != RDL_CONN_STALLED/: l->action == RDL_ACQUIRE \&\& state != RDL_CONN_READY \&\& state != RDL_CONN_STALLED/
