# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: also an unanswered SET is owed a release
/^void rdl_votes_release/,/^}/s/^        if \(!wait\)/        if (s->certainty < CERTAINTY_RESTORED)\n            s->needs_release = 0;\n        if (!wait)/
