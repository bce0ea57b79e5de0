# SPDX-License-Identifier: MIT
# redlock/redlock.c: R14: a release waits for an unanswered grant before it reports a server late
s/ \+ rdl_votes_count\(r, rdl_was_maybe_held\)//
