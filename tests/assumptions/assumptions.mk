# SPDX-License-Identifier: MIT
# Each assumption, broken on real servers (tests/assumptions/).

NEEDS_counterexamples = test
CI_WAITS += 31:counterexamples
CI_NEEDS += $(B)/counterexamples $(B)/step_clock.so
.PHONY: counterexamples
counterexamples: $(B)/counterexamples $(B)/step_clock.so $(B)/lib/bin/redlock ## ci: each assumption broken on real servers: two holders, and what prevents it (WORD=clock)
	@$(PROBE)
	tests/assumptions/counterexamples.sh $(B) $(if $(WORD),"$(WORD)")
$(B)/counterexamples: $(B)/lib/tests/assumptions/counterexamples_main.o $(patsubst %,$(B)/lib/tests/fixtures/%.o,servers command) $(LIB)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(shell pkg-config --cflags --libs check)
$(B)/step_clock.so: $(B)/lib/tests/assumptions/step_clock.o
	$(Q)$(CC) -shared $(LDFLAGS) -o $@ $^

.PHONY: failovers
failovers: $(B)/failovers $(B)/lib/bin/redlock ## hours: what failovers of Sentinel groups cost, counted; fails if a row has two holders that must not (N=100)
	@$(PROBE)
	RDL_COMMAND=$(B)/lib/bin/redlock $(B)/failovers $(or $(N),100)
$(B)/failovers: $(B)/lib/tests/assumptions/failovers_main.o $(patsubst %,$(B)/lib/tests/fixtures/%.o,sentinels tls servers command) $(LIB)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(shell pkg-config --cflags --libs check)
