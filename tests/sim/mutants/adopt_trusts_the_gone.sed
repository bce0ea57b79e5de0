# SPDX-License-Identifier: MIT
# redlock/redlock_extend.c: a late SET of the dead proves nothing where it was gone
s/trust\(r, CERTAINTY_RESTORED\);/trust(r, CERTAINTY_GONE);/
