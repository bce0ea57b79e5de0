# SPDX-License-Identifier: MIT
# redlock/redlock.c: a grant that was never heard is waited for before a release is called late
s/ \+ rdl_votes_count_maybe_held\(r\)//
