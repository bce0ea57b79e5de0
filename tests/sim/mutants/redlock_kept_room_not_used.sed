# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release that fits only into the room its SET reserved is sent
/it is for this release/d
