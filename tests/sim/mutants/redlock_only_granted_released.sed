# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: also an unanswered SET is owed a release
s/^        if \(!s->owes\)/        if (!s->owes || !s->granted)/
