# SPDX-License-Identifier: MIT
# Clients of other projects that share locks with the command (tests/peers/peers.py).

NEEDS_check-peers = peers
NEEDS_check-peers-short = peers
CI_WAITS += 15:check-peers-short
.PHONY: check-peers check-peers-short
check-peers: TURNS = 200
check-peers: ## hours: locks shared with npm's redlock 4 and 5, its successors, redis-py and its old protocol: never two holders
check-peers-short: TURNS = 3
check-peers-short: ## ci: the same, for seconds
check-peers check-peers-short: $(B)/lib/bin/redlock
	@$(PROBE)
	@tests/peers/install.sh $(B)/peers
	@RDL_COMMAND=$(B)/lib/bin/redlock tests/peers/peers.py $(B) $(TURNS) $(PEERS)
