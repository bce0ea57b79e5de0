# SPDX-License-Identifier: MIT
# The model server behind sockets, the simulator, its mutants and the Spin models (tests/sim/).

MODEL_SRC := $(addprefix tests/sim/,server.c server_command.c server_multi.c server_script.c server_wire.c lua.c lua_read.c sha1.c)

SIM_SRC := $(filter-out %_main.c,$(sort $(wildcard tests/sim/*.c)))
SEEDS = $(or $(SEED),1:1000)

.PHONY: standin sim sim-check scenarios
standin: $(B)/standin ## the model server behind sockets, for a machine without redis-server
$(B)/standin: $(patsubst %.c,$(B)/lib/%.o,tests/live/standin_main.c $(MODEL_SRC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

# $(call simulator,PROGRAM,FLAVOUR,COMPILER): the production objects as they are, in a world of models
define simulator
$(B)/$(1): $(patsubst %.c,$(B)/$(2)/%.o,tests/sim/sim_main.c $(SIM_SRC)) $(B)/$(2)/libredlock.a
	$$(Q)$(3) $$(LDFLAGS) -o $$@ $$^
endef
$(eval $(call simulator,sim,lib,$$(CC)))
$(eval $(call simulator,sim-clang,clang,$$(CLANG)))
$(eval $(call simulator,sim-asan,asan,$$(GCC) $$(SANITIZE)))

sim: $(B)/sim ## schedules of the simulator: SEEDS=1:100000, or SEED=n TRACE=1 [SIM="faults=tail,cut"]
	$< $(SEEDS) $(if $(TRACE),trace=1) $(SIM)
scenarios: $(B)/sim ## the simulator's directed scenarios and controls
	$< scenarios
