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

# The thread that renews a lock, and those that ask meanwhile.
.PHONY: check-tsan
NEEDS_check-tsan = test
CI_STAGES += 15:check-tsan
check-tsan: $(B)/tsan/check ## ci: the threads of easy_thread.h with ThreadSanitizer
	@$(PROBE)
	$(B)/tsan/check
$(B)/tsan/check: tests/main.c tests/servers/check_easy_thread.c tests/fixtures/servers.c $(LIB_SRC) \
	$(wildcard resp/*.h net/*.h lock/*.h redlock/*.h tests/fixtures/servers.h)
	@mkdir -p $(@D)/tests && echo 'SUITE(servers, easy_thread)' >$(@D)/tests/suites.inc
	$(Q)$(GCC) -std=c99 -O1 -g -fsanitize=thread -I$(@D) -I. -o $@ $(filter %.c,$^) $(shell pkg-config --cflags --libs check)
