# SPDX-License-Identifier: MIT
# The model server behind sockets, the simulator, its mutants and the Spin models (tests/sim/).

MODEL_SRC := $(addprefix tests/sim/,server.c server_command.c server_delete.c server_info.c \
	server_list.c server_multi.c server_script.c server_wire.c lua.c lua_value.c lua_read.c sha1.c)

SIM_SRC := $(filter-out %_main.c tests/sim/check_%,$(sort $(wildcard tests/sim/*.c)))
SEEDS = $(or $(SEED),1:1000)

.PHONY: standin differ sim guard-picture sim-check sim-long sim-branch scenarios mutants mutants-drawn model model-short
standin: $(B)/standin ## build: the model server behind sockets, for a machine without redis-server
$(B)/standin: $(patsubst %.c,$(B)/lib/%.o,tests/servers/standin_main.c $(MODEL_SRC))
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

differ: $(B)/differ ## build: the comparison of the model server with a real one: build/differ PORT [SEED [COMMANDS]]
$(B)/differ: $(patsubst %.c,$(B)/lib/%.o,tests/servers/differ_main.c tests/fixtures/differ.c $(MODEL_SRC)) $(B)/lib/libredlock.a
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

# tests/servers/check_sim_server.c
$(B)/check: $(MODEL_SRC:%.c=$(B)/lib/%.o)
$(B)/check-asan: $(MODEL_SRC:%.c=$(B)/asan/%.o)
$(B)/check-clang: $(MODEL_SRC:%.c=$(B)/clang/%.o)

# The fast one, with link-time optimization. Its warnings are those of the other two.
SIM_ALL := $(CORE_SRC) tests/sim/sim_main.c $(SIM_SRC)
$(B)/sim: $(SIM_ALL) $(LIB_H) $(wildcard tests/sim/*.h) Makefile tests/sim/sim.mk
	@echo "  cc/sim"
	@mkdir -p $(@D)
	$(Q)$(GCC) -std=c99 -O2 -flto=2 -g -w -I. $(LDFLAGS) -o $@ $(SIM_ALL)

# $(call simulator,PROGRAM,FLAVOUR,COMPILER): the production objects as they are, in a world of models
define simulator
$(B)/$(1): $(patsubst %.c,$(B)/$(2)/%.o,tests/sim/sim_main.c $(SIM_SRC)) $(B)/$(2)/libredlock.a
	$$(Q)$(3) $$(LDFLAGS) -o $$@ $$^
endef
$(eval $(call simulator,sim-clang,clang,$$(CLANG)))
$(eval $(call simulator,sim-asan,asan,$$(GCC) $$(SANITIZE)))

sim: $(B)/sim ## check: schedules of the simulator: SEEDS=1:100000, or SEED=n TRACE=1, PLOT=1 [SIM="faults=tail,cut"]
	$< $(SEEDS) $(if $(TRACE),trace=1) $(if $(PLOT),plot=$(B)/sim-$(SEED).svg) $(SIM)
	$(if $(PLOT),@echo '  picture: $(B)/sim-$(SEED).svg')
guard-picture: $(B)/sim ## write: redlock/guard.svg, the picture in redlock/DESIGN.md
	$< scenarios 'restart guard saves a lease' plot=redlock/guard.svg
scenarios: $(B)/sim ## check: the simulator's directed scenarios and controls
	$< scenarios

# In `make check`: every scenario and regression, and a few hundred seeds. Two compilers must agree on the hashes of
# all seeds, and on every line of some timelines.
SIM_SEEDS = 1:400
CHECK_MORE += sim-check
sim-check: $(B)/sim $(B)/sim-clang ## check: scenarios, regressions, some hundred seeds, gcc and clang alike
	$(B)/sim scenarios >$(B)/sim-scenarios.log || { cat $(B)/sim-scenarios.log; exit 1; }
	@grep -v '^ok' $(B)/sim-scenarios.log
	sed -e 's/#.*//' -e '/^ *$$/d' tests/sim/regressions | while read -r line; do \
	    $(B)/sim $$line >$(B)/sim-regression.log || { cat $(B)/sim-regression.log; exit 1; }; done
	$(B)/sim $(SIM_SEEDS)
	$(B)/sim $(SIM_SEEDS) hash=1 >$(B)/sim-hashes
	$(B)/sim-clang $(SIM_SEEDS) hash=1 | cmp - $(B)/sim-hashes
	$(B)/sim 1:40 hash=1 trace=1 >$(B)/sim-lines
	$(B)/sim-clang 1:40 hash=1 trace=1 | cmp - $(B)/sim-lines
	$(B)/sim $(SIM_SEEDS) misuse=1 hash=1 >$(B)/sim-hashes
	$(B)/sim-clang $(SIM_SEEDS) misuse=1 hash=1 | cmp - $(B)/sim-hashes
	$(B)/sim $(SIM_SEEDS) misuse=1
	tests/sim/branch.sh $(B)/sim
	for chunk in 1 7 64; do $(B)/sim $(SIM_SEEDS) chunk=$$chunk || exit 1; done

# The long run: .ci/run
NEEDS_model = model
NEEDS_model-short = model
CI_STAGES += 47:sim-long 40:mutants-drawn 30:model-short
CI_NEEDS += $(B)/sim $(B)/sim-clang $(B)/sim-asan $(B)/standin
sim-long: $(B)/sim $(B)/sim-asan
	$(B)/sim 1:10000
	$(B)/sim 1:1500 blocking=1
	@# servers that lose all data and restart at once, with a guard: nothing may break
	$(B)/sim 1:1000 faults=restart,pause,tail guard=2 single=0
	$(B)/sim 1:1000 faults=restart,kill,reset guard=3 single=0
	@# connections that swallow everything, for ever
	$(B)/sim 1:1000 faults=swallow,freeze,tail,reset,pause
	$(B)/sim 1:1500 faults=swallow
	@# slots: few and many
	for n in 1 2 4; do $(B)/sim 1:2000 slots=$$n || exit 1; done
	$(B)/sim 1:1000 slots=2 blocking=1
	@# adoption, hints and several locks as one, on one server too
	$(B)/sim 1:1000 faults=adopt,hint,multi,reset,freeze,pause,tail single=1
	$(B)/sim 1:5000 faults=adopt,between single=1
	$(B)/sim 1:500 faults=adopt,hint,everysec,reset,freeze,pause guard=2 single=0
	@# programs that misuse the library
	$(B)/sim 1:3000 misuse=1
	$(B)/sim 1:500 faults=misuse
	$(B)/sim 1:500 faults=misuse,restart,everysec,kill,adopt,cancel,freeze guard=1 single=0
	$(B)/sim-asan 1:500
	$(B)/sim-asan 1:200 misuse=1
	$(B)/sim-asan 1:300 slots=2
	$(B)/sim-asan scenarios

# In `make weekly`: minutes, and other schedules than the seeds alone
sim-branch: $(B)/sim ## hours: schedules that go on from rare states of earlier ones
	$< 1:6000 branch=9
	$< 1:3000 branch=9 misuse=1
	$< 1:1000 branch=9 faults=misuse
	$< 1:1000 branch=9 faults=restart,everysec,freeze,half,pause guard=2 single=0

MUTANT_SEEDS = 600
mutants: ## hours: one-line changes of production code, each of which the simulator must notice (MUTANTS="name ...")
mutants-drawn: DRAWN = --draw 40
mutants-drawn: ## ci: 40 of them, chosen by the hash of the commit
mutants mutants-drawn:
	CC='$(CC)' tests/sim/mutants.sh $(DRAWN) $(B) $(MUTANT_SEEDS) $(MUTANTS)
model: $(B)/sim ## hours: the Spin models (MODEL=-a: the larger bounds too), and timelines of 2,000 seeds
	@$(PROBE)
	CC='$(CC)' tests/sim/model/run.sh $(B) $(MODEL)
	CC='$(CC)' tests/sim/model/timelines.sh $(B) 2000
model-short: $(B)/sim ## ci: the model without one assumption after the other (MODEL=--write: its counterexamples), and timelines
	CC='$(CC)' tests/sim/model/run.sh $(B) $(or $(MODEL),-s)
	CC='$(CC)' tests/sim/model/timelines.sh $(B)
