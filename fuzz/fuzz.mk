# SPDX-License-Identifier: MIT
# Fuzz targets: fuzz/fuzz_NAME.c, their corpora in fuzz/corpus/NAME/. A finding becomes a file there, and a test.

T = 60

FUZZ := $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c))
ifneq ($(shell pkg-config --exists hiredis && echo yes),yes)
FUZZ := $(filter-out diff_hiredis,$(FUZZ))
endif
FUZZ_SRC := $(CORE_SRC) $(wildcard resp/*.h net/*.h lock/*.h)
FUZZ_LIBS_diff_hiredis := -lhiredis
FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: fuzz fuzz-replay fuzz-corpus
fuzz: $(FUZZ:%=$(B)/fuzz/%) ## run every fuzz target for T seconds (T=60); new inputs go to build/fuzz/corpus
	@for t in $(FUZZ); do \
	    mkdir -p $(B)/fuzz/corpus/$$t && echo "fuzz $$t, $(T) s" && \
	    $(B)/fuzz/$$t -max_total_time=$(T) -max_len=1024 -timeout=10 -print_final_stats=1 -dict=fuzz/resp.dict \
	        -artifact_prefix=$(B)/fuzz/$$t- $(B)/fuzz/corpus/$$t fuzz/corpus/$$t >$(B)/fuzz/$$t.log 2>&1 || \
	    { tail -30 $(B)/fuzz/$$t.log; exit 1; }; \
	    grep -E 'number_of_executed_units|average_exec_per_sec|new_units_added' $(B)/fuzz/$$t.log; \
	done
fuzz-replay: $(FUZZ:%=$(B)/fuzz/%-replay) ## every fuzz target over its corpus, built with gcc and its sanitizers
	@for t in $(FUZZ); do printf '  replay %s: ' $$t && $(B)/fuzz/$$t-replay fuzz/corpus/$$t/* || exit; done
fuzz-corpus: $(FUZZ:%=$(B)/fuzz/%) ## merge what `make fuzz` found into fuzz/corpus, minimised
	@for t in $(FUZZ); do \
	    mkdir -p $(B)/fuzz/merged/$$t fuzz/corpus/$$t && rm -f $(B)/fuzz/merged/$$t/* && \
	    $(B)/fuzz/$$t -merge=1 -max_len=1024 $(B)/fuzz/merged/$$t fuzz/corpus/$$t $(B)/fuzz/corpus/$$t \
	        >$(B)/fuzz/$$t.merge.log 2>&1 && \
	    rm -f fuzz/corpus/$$t/* && cp $(B)/fuzz/merged/$$t/* fuzz/corpus/$$t/ && \
	    printf '%s: %s files\n' $$t "$$(ls fuzz/corpus/$$t | wc -l)"; \
	done

$(FUZZ:%=$(B)/fuzz/%): $(B)/fuzz/%: fuzz/fuzz_%.c $(FUZZ_SRC)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(WARN) $(WERROR) $(FUZZ_FLAGS) -fsanitize=fuzzer -I. -o $@ $(filter %.c,$^) $(FUZZ_LIBS_$*)
$(FUZZ:%=$(B)/fuzz/%-replay): $(B)/fuzz/%-replay: fuzz/fuzz_%.c fuzz/replay.c $(B)/asan/libredlock.a
	@mkdir -p $(@D)
	$(Q)$(GCC) $(WARN_GCC) $(WERROR) -O1 -g $(SANITIZE) -I. -o $@ $^ $(FUZZ_LIBS_$*)

CHECK_MORE += fuzz-replay
