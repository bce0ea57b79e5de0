# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a server that is farther away than the others keeps its connection
/far is not silent/d
