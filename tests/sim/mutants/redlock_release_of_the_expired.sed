# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: what had ended by itself before it was asked again was not released by us
s/ \|\| now_ms >= s->asked_ms \+ r->opt->max_ttl_ms//
