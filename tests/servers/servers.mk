# SPDX-License-Identifier: MIT
# Servers of other versions than the system's: fetched once into build/servers, for tests that need
# real servers. tests/servers/servers.sh has the list.

LIVE_SUITES = live_methods live_errors live_errors_more live_errors_rare live_errors_relay \
	live_errors_host lock_shared sim_server

NEEDS_live = test live
CI_WAITS += 35:live
.PHONY: live
live: $(B)/check ## ci: methods, scripts, errors and the model server on servers of five more versions
	@$(PROBE)
	tests/servers/versions.sh $(B) $(LIVE_SUITES)
