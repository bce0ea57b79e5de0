# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: over N servers, too, an answer is not overdue before the attempt is over
s/return own_ms > attempt_ms \? own_ms : attempt_ms;/return rdl_attempt_ms(\&r->opt->lease);/
