# SPDX-License-Identifier: MIT
# Benchmarks. They are not part of `make check`, because they measure and have no verdict. Clients
# that split their votes must make progress, which only a longer run can show (bench-split, weekly). A number of
# instructions does not depend on the time: CI runs performance.
CI_STAGES += 10:performance
NEEDS_bench-split = test
NEEDS_performance = bench
NEEDS_performance-update = bench
NEEDS_bench = bench bench-peers
NEEDS_bench-update = bench bench-peers

# Ours and the peers, side by side. A peer that is not installed is not run; the page says so.
BENCH := $(B)/bench
BENCH_PROGRAMS := $(addprefix $(BENCH)/drive-,floor ours hiredis)
.PHONY: bench bench-update bench-programs bench-peers
bench: bench-programs bench-peers $(B)/redlock ## bench: ours and the peers side by side: a page and charts in build/bench/ (40 min; QUICK=1: 3 min)
	@tests/house/deps.sh --probe bench
	tests/bench/bench.py $(B) $(BENCH)/figures.json $(if $(QUICK),--quick)
	tests/bench/page.py $(BENCH)/figures.json $(BENCH)
bench-update: ## write: the page of benchmarks in redlock/doc/ and its charts, from the last `make bench`, on an idle machine
	tests/bench/page.py --update $(BENCH)/figures.json redlock/doc
bench-programs: $(BENCH_PROGRAMS) $(B)/bench-resp
$(BENCH_PROGRAMS): $(BENCH)/drive-%: $(B)/lib/tests/bench/drive_%.o $(B)/lib/tests/bench/drive.o
	@mkdir -p $(@D)
	$(Q)$(CC) -o $@ $(filter %.o %.a,$^) $(LIBS_drive-$*)
$(BENCH)/drive-floor: $(B)/lib/tests/bench/floor.o
$(BENCH)/drive-ours: $(LIB)
LIBS_drive-hiredis := -lhiredis
# The packages' own scripts are not run.
bench-peers:
	@mkdir -p $(BENCH)/peers
	@cp tests/bench/peers/.npmrc tests/bench/peers/* $(BENCH)/peers
	@cd $(BENCH)/peers && { cmp -s package-lock.json installed || \
	    { rm -rf node_modules && npm ci --ignore-scripts --loglevel error && cp package-lock.json installed; } || \
	    echo 'bench: npm installs nothing here: its packages are not run'; }

.PHONY: bench-resp bench-tools
bench-resp: $(B)/bench-resp ## bench: the parser and the encoder against the system's hiredis: time and instructions
	tests/bench/bench_resp.sh $<
NEEDS_bench-tools = bench
bench-tools:
	@$(PROBE)
$(B)/bench-resp: tests/bench/bench_resp.c $(LIB) | bench-tools
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(WERROR) -O2 -I. -o $@ $^ -lhiredis

# What every change of the library pays: the committed figures are those of one compiler, the budgets hold for all.
.PHONY: performance performance-update
performance: $(B)/performance ## ci: instructions of acquire and release on one and on five servers, plain and fenced, against what is committed
	@$(PROBE)
	@tests/bench/performance.sh $< tests/house/budgets.txt tests/bench/performance.txt
performance-update: $(B)/performance ## write: tests/bench/performance.txt
	@$(PROBE)
	@tests/bench/performance.sh --update $< tests/house/budgets.txt tests/bench/performance.txt
$(B)/performance: tests/bench/performance.c $(CORE_SRC) $(HEADERS)
	@mkdir -p $(@D)
	$(Q)$(GCC) $(WARN) $(WERROR) -O2 -I. -o $@ $(filter %.c,$^)

# Of gcc alone, because compilers differ in what they instrument; -O0, so that nothing is inlined.
.PHONY: calls
calls: $(B)/calls $(B)/standin ## bench: how many functions in how many files one acquire calls, and which
	tests/bench/calls.sh $^
$(B)/calls: $(LIB_SRC) tests/bench/calls.c
	@mkdir -p $(@D)
	$(Q)$(GCC) $(WARN) $(WERROR) -O0 -gdwarf-4 -no-pie -I. -finstrument-functions \
	    -finstrument-functions-exclude-file-list=tests/bench -o $@ $^

.PHONY: bench-wait
bench-wait: $(B)/bench-wait ## bench: 8 and 64 clients want one lock: the wake hint against polling
	tests/bench/bench_wait.sh $<
$(B)/bench-wait: tests/bench/bench_wait.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(WERROR) -O2 -I. -o $@ $^

# Benchmarks that disturb real servers use the tests' fixtures.
BENCH_LIVE := $(patsubst %,$(B)/lib/tests/fixtures/%.o,quorum client servers fakeserver)
WRAP := -Wl,--wrap=send -Wl,--wrap=recv -Wl,--wrap=poll -Wl,--wrap=getrandom -Wl,--wrap=getpid -Wl,--wrap=syscall

.PHONY: bench-floor
bench-floor: $(B)/bench-floor ## bench: acquire + release on five servers against the least program that does it
	$<
$(B)/bench-floor: $(B)/lib/tests/bench/bench_floor.o $(B)/lib/tests/bench/count_calls.o $(B)/lib/tests/bench/floor.o $(BENCH_LIVE) $(B)/lib/libredlock.a
	$(Q)$(CC) $(WRAP) -o $@ $^ $(shell pkg-config --libs check)

.PHONY: bench-faults
bench-faults: $(B)/bench-faults ## bench: the same with servers stalled, refusing, black-holed, against all well
	$<
$(B)/bench-faults: $(B)/lib/tests/bench/bench_faults.o $(BENCH_LIVE) $(B)/lib/libredlock.a
	$(Q)$(CC) -o $@ $^ $(shell pkg-config --libs check)

# Two clients for this many seconds, 64 for a sixth of it.
SECONDS_EACH = 10
.PHONY: bench-split
bench-split: $(B)/bench-split ## bench: 2 and 64 clients split their votes on five servers: does one always get the lock?
	$< $(SECONDS_EACH)
$(B)/bench-split: $(B)/lib/tests/bench/bench_split.o $(BENCH_LIVE) $(B)/lib/libredlock.a
	$(Q)$(CC) -o $@ $^ $(shell pkg-config --libs check)
