# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: also an unanswered SET is owed a release
/^void rdl_votes_release/,/^}/{
s/^        if \(!wait\)/        int had = s->hold;\n        if (!wait)/
s/^        if \(!s->owes\)/        if (!s->owes || had < HOLD_NEW)/
}
