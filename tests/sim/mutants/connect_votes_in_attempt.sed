# SPDX-License-Identifier: MIT
# redlock/redlock.c: an extend or a release has the time of an attempt to connect, log in and ask
s/return there < quorum && rdl_votes_count_conns/return 0 \&\& there < quorum \&\& rdl_votes_count_conns/
