# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: over N servers, too, a reply is not overdue before the attempt ends
s/return own_ms > attempt_ms \? own_ms : attempt_ms;/return rdl_attempt_ms(\&r->opt->lease);/
