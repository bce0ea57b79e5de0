# SPDX-License-Identifier: MIT
# Clients of other projects that share locks with the command (tests/peers/peers.py).

NEEDS_check-peers = peers
NEEDS_check-peers-short = peers-short
CI_WAITS += 8:check-peers-short
.PHONY: check-peers check-peers-short
check-peers: $(B)/lib/bin/redlock ## hours: locks shared with npm's redlock 4 and 5, its successors, redis-py and its old protocol: never two holders
	@$(PROBE)
	@tests/peers/install.sh $(B)/peers
	@RDL_COMMAND=$(B)/lib/bin/redlock tests/peers/peers.py $(B) 200 $(PEERS)
# Without npm, whose registry is not one of Debian's.
check-peers-short: $(B)/lib/bin/redlock ## ci: the same with redis-py and its old protocol alone, for seconds
	@$(PROBE)
	@RDL_COMMAND=$(B)/lib/bin/redlock tests/peers/peers.py $(B) 3 redis-py redis-py-2.9
