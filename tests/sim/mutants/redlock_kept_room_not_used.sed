# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R12: a release that fits only into the room its SET reserved is sent
/the room was reserved for this release/d
