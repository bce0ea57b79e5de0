# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R9: the release of an unanswered SET is pending, too
/^void rdl_votes_release/,/^}/s/^        if \(!wait\)/        if (s->certainty < CERTAINTY_RESTORED)\n            s->needs_release = 0;\n        if (!wait)/
