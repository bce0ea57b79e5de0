# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a server that is farther away than the others keeps its connection
s/return own_ms > attempt_ms \? own_ms : attempt_ms;/return attempt_ms;/
