# SPDX-License-Identifier: MIT
# The tests of the library: do they reach all of it, and do they notice each small change?

# The suites that do not run the command, and the simulator.
LIBRARY_SUITES := $(shell sed -nE '/cli_|examples|recipes|sim_server/d; s/^SUITE\((resp|net|lock|redlock|servers), (.*)\)/\2/p' tests/suites.inc)
LIBRARY_OBJ := $(patsubst %.c,$(B)/lib/%.o,$(filter-out tests/main.c tests/cli/% tests/sim/check_% \
	tests/servers/check_sim_server.c \
	$(addprefix tests/servers/check_,cli_% examples% recipes%),$(TEST_SRC)))
LIBRARY_SIM := $(patsubst %.c,$(B)/lib/%.o,tests/sim/sim_main.c $(SIM_SRC))
LIBRARY_TESTS := $(LIBRARY_OBJ) $(LIBRARY_SIM) $(B)/lib/cli.a $(B)/lib/bin/redlock $(PORT_OBJ) $(B)/lib/tests/port/port_uring.o
WAITING_SRC := lock/lock_io.c redlock/redlock_io.c
LIBRARY_ENV = WAITING_SRC='$(WAITING_SRC)' RDL_COMMAND=$(B)/lib/bin/redlock SUITES='$(LIBRARY_SUITES)' URING_SUITES='$(URING_SUITES)' TEST_OBJ='$(LIBRARY_OBJ)' SIM_OBJ='$(LIBRARY_SIM)' PORT_OBJ='$(PORT_OBJ)'

.PHONY: coverage mutate
NEEDS_coverage = cover test
coverage: $(LIBRARY_TESTS) ## hours: all lines, branches and conditions (MC/DC) of the library are reached by its tests (clang-19, llvm-19)
	@$(PROBE)
	@$(LIBRARY_ENV) tests/mutation/coverage.sh $(B)/coverage-all $(B)

MUTATE = $(CORE_SRC) $(POSIX_SRC)
DRAW = 0
DRAW_SEED = 1
NEEDS_mutate = test
mutate: $(LIBRARY_TESTS) $(B)/lib/libredlock.a ## hours: every operator, constant and statement of the library changed: do the tests notice? DRAW=500 DRAW_SEED=7: of 500; MUTATE="lock/lock.c"
	@$(PROBE)
	@$(LIBRARY_ENV) tests/mutation/mutate.sh $(B)/mutate $(B) $(DRAW) $(DRAW_SEED) $(MUTATE)
