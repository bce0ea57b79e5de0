# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release that has room only where its SET kept it is sent
/its room is kept for the release/d
