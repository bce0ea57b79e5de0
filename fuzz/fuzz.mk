# SPDX-License-Identifier: MIT
# Fuzz targets: fuzz/fuzz_NAME.c, their corpora in fuzz/corpus/NAME/. A finding becomes a file there, and a test.

T = 60
# 0: another one each time.
FUZZ_SEED = 0

FUZZ := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
FUZZ_LIBS_diff_hiredis := -lhiredis
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: fuzz fuzz-replay fuzz-corpus fuzz-afl fuzz-tools replay-tools
# Before the first of them is compiled, not once all are.
NEEDS_fuzz = fuzz
NEEDS_fuzz-tools = fuzz
NEEDS_replay-tools = test
fuzz-tools:
	@$(PROBE)
replay-tools:
	@$(PROBE)
fuzz: $(FUZZ:%=$(B)/fuzz/%) ## hours: run every fuzz target (FUZZ=NAME: one) for T seconds (T=60); new inputs go to build/fuzz/corpus
	@inputs=0; for t in $(FUZZ); do \
	    mkdir -p $(B)/fuzz/corpus/$$t && echo "fuzz $$t: running for $(T) s, log in $(B)/fuzz/$$t.log" && \
	    $(B)/fuzz/$$t -max_total_time=$(T) -max_len=1024 -timeout=10 -seed=$(FUZZ_SEED) -print_final_stats=1 -dict=fuzz/resp.dict \
	        -artifact_prefix=$(B)/fuzz/$$t- $(B)/fuzz/corpus/$$t fuzz/corpus/$$t >$(B)/fuzz/$$t.log 2>&1 || \
	    { tail -30 $(B)/fuzz/$$t.log; echo "fuzz $$t: a crash; $(B)/fuzz/$$t-replay FILE shows it again"; exit 1; }; \
	    n=$$(sed -n 's/^stat::number_of_executed_units: *//p' $(B)/fuzz/$$t.log); inputs=$$((inputs + n)); \
	    sed -n "s/^stat::new_units_added: */fuzz $$t: no crash in $$n inputs; inputs that reach more code: /p" \
	        $(B)/fuzz/$$t.log; \
	done; echo "no crash in $$inputs inputs"
fuzz-replay: $(FUZZ:%=$(B)/fuzz/%-replay) ## check: every fuzz target over its corpus, built with gcc and its sanitizers
	@for t in $(FUZZ); do printf '  replay %s: ' $$t && $(B)/fuzz/$$t-replay fuzz/corpus/$$t/* || exit; done
fuzz-corpus: $(FUZZ:%=$(B)/fuzz/%) ## write: add to fuzz/corpus what `make fuzz` and fuzz-afl found that reaches more code
	@for t in $(FUZZ); do \
	    mkdir -p $(B)/fuzz/corpus/$$t $(B)/fuzz/afl/$$t/default/queue && \
	    $(B)/fuzz/$$t -merge=1 -use_counters=0 -max_len=1024 fuzz/corpus/$$t $(B)/fuzz/corpus/$$t \
	        $(B)/fuzz/afl/$$t/default/queue >$(B)/fuzz/$$t.merge.log 2>&1 && \
	    printf '%s: %s files\n' $$t "$$(ls fuzz/corpus/$$t | wc -l)" || exit; \
	done

# AFL++'s warnings about the machine (core patterns, processors) do not matter here.
fuzz-afl: export AFL_NO_UI = 1
fuzz-afl: export AFL_NO_AFFINITY = 1
fuzz-afl: export AFL_SKIP_CPUFREQ = 1
fuzz-afl: export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES = 1
fuzz-afl: $(FUZZ:%=$(B)/fuzz/%-afl) ## hours: AFL++ on every fuzz target for T seconds (T=60), from its corpus
	@for t in $(FUZZ); do \
	    out=$(B)/fuzz/afl/$$t && rm -rf $$out && mkdir -p $$out && \
	    afl-fuzz -V $(T) -m none -t 10000 -x fuzz/resp.dict -i fuzz/corpus/$$t -o $$out -- $(B)/fuzz/$$t-afl \
	        >$$out.log 2>&1 || { tail -30 $$out.log; exit 1; }; \
	    awk -v t=$$t '{ v[$$1] = $$3 } END { crashes = v["saved_crashes"] + v["saved_hangs"]; \
	        printf "fuzz-afl %s: %d runs, %d a second, %d new inputs, %d crashes or hangs\n", t, v["execs_done"], \
	            v["execs_per_sec"], v["corpus_found"], crashes; exit crashes > 0 || v["execs_done"] == 0 }' \
	        $$out/default/fuzzer_stats || exit; \
	done

# The core is compiled once for all targets of a fuzzer; with it the templates of the command, which roundtrip writes.
FUZZ_SRC := $(CORE_SRC) redlock/cli/servers/commands.c
$(eval $(call flavour,fuzz/core,$$(CLANG) $$(WARN) $$(FUZZ_FLAGS) -fsanitize=fuzzer-no-link))
$(eval $(call flavour,fuzz/core-afl,AFL_QUIET=1 afl-clang-fast $$(FUZZ_FLAGS)))
$(FUZZ_SRC:%.c=$(B)/fuzz/core/%.o) $(FUZZ_SRC:%.c=$(B)/fuzz/core-afl/%.o): | fuzz-tools
$(B)/fuzz/core.a: $(FUZZ_SRC:%.c=$(B)/fuzz/core/%.o)
$(B)/fuzz/core-afl.a: $(FUZZ_SRC:%.c=$(B)/fuzz/core-afl/%.o)
$(B)/fuzz/core.a $(B)/fuzz/core-afl.a:
	@rm -f $@
	$(Q)ar rcsD $@ $^

# The world of the API fuzzer; what of it is reached guides no fuzzer.
FUZZ_WORLD := $(filter-out %/mutate.c,$(wildcard fuzz/api/*.c)) $(filter-out %_main.c,$(wildcard tests/sim/server*.c tests/sim/lua*.c)) tests/sim/sha1.c
$(eval $(call flavour,fuzz/world,$$(CLANG) $$(WARN) $$(FUZZ_FLAGS)))
FUZZ_API := $(patsubst %.c,$(B)/fuzz/world/%.o,$(FUZZ_WORLD) fuzz/api/mutate.c)
$(FUZZ_API): | fuzz-tools
$(B)/fuzz/api: $(FUZZ_API)
$(B)/fuzz/api-replay: $(FUZZ_WORLD:%.c=$(B)/asan/%.o)
$(B)/fuzz/api-afl: $(FUZZ_WORLD:%.c=$(B)/fuzz/core-afl/%.o)

$(FUZZ:%=$(B)/fuzz/%): $(B)/fuzz/%: fuzz/fuzz_%.c $(B)/fuzz/core.a
	$(if $(V),,@echo "  fuzz $<")
	$(Q)$(CLANG) $(WARN) $(WERROR) $(FUZZ_FLAGS) -fsanitize=fuzzer -I. -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(FUZZ_LIBS_$*)
$(FUZZ:%=$(B)/fuzz/%-replay): $(B)/fuzz/%-replay: fuzz/fuzz_%.c fuzz/replay.c $(B)/asan/redlock/cli/servers/commands.o \
    $(B)/asan/libredlock.a | replay-tools
	@mkdir -p $(@D)
	$(Q)$(GCC) $(WARN_GCC) $(WERROR) -O1 -g $(SANITIZE) -I. -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(FUZZ_LIBS_$*)
$(FUZZ:%=$(B)/fuzz/%-afl): $(B)/fuzz/%-afl: fuzz/fuzz_%.c fuzz/replay.c $(B)/fuzz/core-afl.a
	$(if $(V),,@echo "  fuzz-afl $<")
	$(Q)AFL_QUIET=1 afl-clang-fast $(FUZZ_FLAGS) -I. -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(FUZZ_LIBS_$*)

CHECK_MORE += fuzz-replay

.PHONY: fuzz-build
NEEDS_fuzz-build = fuzz service
fuzz-build: ## hours: fuzz/build.sh builds the targets for a fuzzing service, here libFuzzer's, and each runs over its inputs
	@$(PROBE)
	@rm -rf $(B)/fuzz/service && mkdir -p $(B)/fuzz/service
	@OUT=$(abspath $(B))/fuzz/service CC=$(CLANG) CXX=clang++ CFLAGS='-O1 -g -fsanitize=address,fuzzer-no-link' \
	    CXXFLAGS=-fsanitize=address LIB_FUZZING_ENGINE=-fsanitize=fuzzer fuzz/build.sh
	@for t in $(filter-out diff_hiredis,$(FUZZ)); do \
	    test -s $(B)/fuzz/service/$${t}_seed_corpus.zip && \
	    $(B)/fuzz/service/$$t -runs=0 fuzz/corpus/$$t >$(B)/fuzz/service/log 2>&1 || { cat $(B)/fuzz/service/log; echo "fuzz-build: $$t"; exit 1; }; \
	done; echo "fuzz-build: $(words $(filter-out diff_hiredis,$(FUZZ))) targets built and run"

# The API fuzzer, and the edges of lock/ and redlock/ that its inputs reach, in percent. Only they are instrumented here:
# at -O0 each edge is one of the source, and no sanitizer adds its own.
API_T = 20
API_LEAST = 90
# The fuzzer calls neither owners nor slots: their suites do, and the simulator has slots.
API_EDGES := $(filter-out lock/lock_owner.c redlock/redlock_owner.c redlock/slots.c,$(filter lock/% redlock/%,$(CORE_SRC)))
API_OBJ := $(patsubst %.c,$(B)/fuzz/edges/%.o,$(API_EDGES)) \
	$(patsubst %.c,$(B)/lib/%.o,$(filter-out $(API_EDGES),$(CORE_SRC)) $(FUZZ_WORLD) fuzz/fuzz_api.c)
$(eval $(call flavour,fuzz/edges,$$(CLANG) $$(WARN) -O0 -DNDEBUG -fsanitize=fuzzer-no-link))
$(B)/fuzz/api-edges: $(API_OBJ)
	$(Q)$(CLANG) -fsanitize=fuzzer -o $@ $^
.PHONY: fuzz-api
fuzz-api: ## ci: the API fuzzer for API_T seconds (API_T=20); at least API_LEAST % of the edges of lock/ and redlock/ are reached
	+@$(PROBE) && $(MAKE) fuzz FUZZ=api T=$(API_T) FUZZ_SEED=$(COMMIT_NUMBER) && $(MAKE) $(B)/fuzz/api-edges
	@$(B)/fuzz/api-edges -runs=0 -max_len=1024 fuzz/corpus/api $(B)/fuzz/corpus/api >$(B)/fuzz/api-edges.log 2>&1 || \
	    { tail -5 $(B)/fuzz/api-edges.log; exit 1; }
	@awk -v least=$(API_LEAST) '/ Loaded / { sub(/^[^(]*[(]/, ""); all = $$1 } \
	    /DONE +cov: / { reached = $$4 } \
	    END { if (all == 0 || reached == 0) { print "fuzz-api: no edges were counted"; exit 1 } \
	        percent = int(100 * reached / all); \
	        printf "fuzz-api: %d of %d edges of lock/ and redlock/ reached: %d %%\n", reached, all, percent; \
	        if (percent < least) { print "fuzz-api: at least " least " % were expected"; exit 1 } }' $(B)/fuzz/api-edges.log
NEEDS_fuzz-api = fuzz
CI_STAGES += 60:fuzz-api
