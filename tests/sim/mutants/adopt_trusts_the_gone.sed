# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: R29: a dead client's late SET proves nothing on a server that had lost the key
s/extend_lease\(r, CERTAINTY_RESTORED\);/extend_lease(r, CERTAINTY_GONE);/
