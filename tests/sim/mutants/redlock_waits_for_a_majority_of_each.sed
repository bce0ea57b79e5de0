# SPDX-License-Identifier: MIT
# redlock/redlock_count.c: R25: a blocking call does not wait for grants that are impossible by now
s/return quorum - yes < r->n - quorum \+ 1 - no \? .*/return quorum - yes;/
