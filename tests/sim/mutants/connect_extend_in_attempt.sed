# SPDX-License-Identifier: MIT
# lock/lock.c: an extend or a release has the time of an attempt to connect, log in and ask
s/if \(state != RDL_CONN_READY && state/if (l->action == RDL_ACQUIRE \&\& state != RDL_CONN_READY \&\& state/
