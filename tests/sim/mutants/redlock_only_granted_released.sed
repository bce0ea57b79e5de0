# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: also an unanswered SET is owed a release
/^void rdl_votes_release/,/^}/s/^        if \(!wait\)/        if (s->hold < HOLD_NEW)\n            s->owes = 0;\n        if (!wait)/
