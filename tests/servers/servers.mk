# SPDX-License-Identifier: MIT
# Servers of other versions than the system's: fetched once into build/servers, for tests that need
# real servers. tests/servers/servers.sh has the list.

LIVE_SUITES = live_methods live_errors live_errors_more live_errors_rare live_errors_relay \
	live_errors_host live_several lock_shared sim_server

NEEDS_live = test live
CI_WAITS += 35:live
.PHONY: live
live: export RDL_COMMAND = $(B)/lib/bin/redlock
live: $(B)/check $(B)/lib/bin/redlock ## ci: methods, scripts, errors and the model server on servers of five more versions
	@$(PROBE)
	tests/servers/versions.sh $(B) $(LIVE_SUITES)

# The suites of the driver for sockets, of blocking locks and of servers with faults, over io_uring. Tests with the tag
# `sockets` are left out: they refuse or count the system calls of the other driver, or use one driver in two processes.
URING_SUITES = net_posix net_posix_bad net_posix_errors net_posix_fork net_posix_stdin net_posix_wait lock_adopt lock_fenced \
	lock_hint_live lock_io lock_legacy_edges lock_multi lock_shared live_errors live_errors_host live_errors_rare live_methods \
	live_stalled redlock_faults redlock_io redlock_many redlock_several
.PHONY: check-uring
check-uring: $(B)/check $(B)/lib/bin/redlock $(B)/examples/redlock/uring ## hours: suites with servers over io_uring (make weekly); where that is refused, it says so
	@if $(B)/examples/redlock/uring redis://127.0.0.1:1 2>&1 | grep '^no io_uring'; then \
	    echo "check-uring: NOT CHECKED: io_uring is refused here"; \
	else \
	    RDL_DRIVER=uring CK_EXCLUDE_TAGS=sockets RDL_COMMAND=$(B)/lib/bin/redlock \
	        $(B)/check -j $(CHECK_JOBS) -r $(B)/results/$@ $(URING_SUITES); \
	fi

# Debian's promtool comes with 332 MB and a service, so only `make weekly` needs it.
NEEDS_promtool = test prometheus
.PHONY: promtool
promtool: $(B)/lib/bin/redlock ## hours: promtool reads the metrics, and tests the alert rules of the guide
	@$(PROBE)
	tests/servers/promtool.sh $<

NEEDS_proxies = proxies
.PHONY: proxies
proxies: $(B)/lib/bin/redlock ## hours: what the guide says of twemproxy and HAProxy, with Debian's
	@$(PROBE)
	tests/servers/proxies.sh $<

NEEDS_recipes = recipes
.PHONY: recipes
recipes: $(B)/lib/bin/redlock ## hours: systemd accepts the units of the guide, and Ansible runs its task
	@$(PROBE)
	tests/servers/recipes.sh $<

# The thread that renews a lock, and those that ask meanwhile.
.PHONY: check-tsan
NEEDS_check-tsan = test
CI_STAGES += 15:check-tsan
check-tsan: $(B)/tsan/check ## ci: the threads of easy_thread.h with ThreadSanitizer
	@$(PROBE)
	$(B)/tsan/check
$(B)/tsan/check: tests/main.c tests/servers/check_easy_thread.c tests/fixtures/servers.c tests/fixtures/refused_call.c $(LIB_SRC) \
	$(LIB_H) tests/fixtures/servers.h
	@mkdir -p $(@D)/tests && echo 'SUITE(servers, easy_thread)' >$(@D)/tests/suites.inc
	$(Q)$(GCC) -std=c99 -O1 -g -fsanitize=thread -I$(@D) -I. -o $@ $(filter %.c,$^) $(shell pkg-config --cflags --libs check)
