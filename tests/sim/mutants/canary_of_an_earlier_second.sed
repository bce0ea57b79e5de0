# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a canary with an earlier time than the last one is a new one
s/created_s - c->created_s > \(unsigned\)is_made/(int32_t)(created_s - c->created_s) > is_made/
