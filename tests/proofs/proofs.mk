# SPDX-License-Identifier: MIT
# The golden bytes, the proofs of resp/, its coverage and its mutants.

RESP_SRC := $(sort $(wildcard resp/*.c))

$(B)/wire: tests/golden/wire.c $(RESP_SRC) resp/resp.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(WERROR) $(CFLAGS) -I. -o $@ $(filter %.c,$^)

.PHONY: wire wire-check
wire: $(B)/wire ## write tests/golden/wire.txt anew: every command as the code writes it
	$(B)/wire >tests/golden/wire.txt
wire-check: $(B)/wire ## the commands' bytes are those of tests/golden/wire.txt
	@$(B)/wire | diff -u tests/golden/wire.txt - || { echo "wire.txt differs; if that is meant: make wire"; exit 1; }
CHECK_MORE += wire-check
