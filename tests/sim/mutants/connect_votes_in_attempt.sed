# SPDX-License-Identifier: MIT
# redlock/redlock.c: R22: an extend or a release has one attempt's time for each of connect, login and request
s/return there < quorum && rdl_votes_count_conns/return 0 \&\& there < quorum \&\& rdl_votes_count_conns/
