# SPDX-License-Identifier: MIT
# Benchmarks. Not part of `make check`: they measure, they do not judge.

.PHONY: bench-resp
bench-resp: $(B)/bench-resp ## the parser and the encoder against the system's hiredis: time and instructions
	tests/bench/bench_resp.sh $<
$(B)/bench-resp: tests/bench/bench_resp.c $(LIB)
	$(Q)$(CC) $(WARN) $(WERROR) -O2 -I. -o $@ $^ -lhiredis

.PHONY: bench-wait
bench-wait: $(B)/bench-wait ## 8 and 64 clients want one lock: the wake hint against polling
	tests/bench/bench_wait.sh $<
$(B)/bench-wait: tests/bench/bench_wait.c $(LIB)
	$(Q)$(CC) $(WARN) $(WERROR) -O2 -I. -o $@ $^
