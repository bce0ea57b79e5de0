# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a release that has room only where its SET reserved it is sent
/it is for this release/d
