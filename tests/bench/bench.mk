# SPDX-License-Identifier: MIT
# Benchmarks. Not part of `make check`: they measure, they do not judge.

.PHONY: bench-resp
bench-resp: $(B)/bench-resp ## the parser and the encoder against the system's hiredis: time and instructions
	tests/bench/bench_resp.sh $<
$(B)/bench-resp: tests/bench/bench_resp.c $(LIB)
	$(Q)$(CC) $(WARN) $(WERROR) -O2 -I. -o $@ $^ -lhiredis
