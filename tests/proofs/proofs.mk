# SPDX-License-Identifier: MIT
# The golden bytes, the proofs of resp/, its coverage and its mutants.

RESP_SRC := $(filter resp/%,$(CORE_SRC))
# Every layer defines the commands that it sends, the command included.
COMMANDS_HEADERS := net/net_commands.h lock/lock_commands.h redlock/redlock_commands.h redlock/easy/sentinel_commands.h redlock/cli/servers/commands.h
COMMANDS_SRC := $(COMMANDS_HEADERS:.h=.c)

$(B)/wire: tests/golden/wire.c $(CORE_SRC) redlock/easy/sentinel_commands.c redlock/cli/servers/commands.c $(LIB_H) redlock/cli/servers/commands.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(WERROR) $(CFLAGS) -I. -o $@ $(filter %.c,$^)

.PHONY: wire wire-check
wire: $(B)/wire ## write: tests/golden/wire.txt, every command as the code writes it
	$(B)/wire >tests/golden/wire.txt
wire-check: $(B)/wire ## check: the commands' bytes are those of tests/golden/wire.txt, and WIRE.md lists them all, and what is refused
	@$(B)/wire | diff -u tests/golden/wire.txt - || { echo "wire.txt differs; if that is meant: make wire"; exit 1; }
	@awk -f tests/golden/wire.awk tests/golden/wire.txt $(COMMANDS_HEADERS) tests/golden/templates.inc \
	    $(COMMANDS_SRC) resp/WIRE.md
	@awk -f tests/golden/refused.awk resp/resp_results.h net/net.h net/net_error.c tests/*/check_*.c resp/WIRE.md
CHECK_MORE += wire-check

$(B)/relay: $(B)/lib/tests/servers/relay_main.o
	$(Q)$(CC) $(LDFLAGS) -o $@ $^
.PHONY: wire-tshark
wire-tshark: $(B)/relay $(B)/redlock ## ci: tshark decodes the requests and replies of the command and a server, in every mode
	@$(PROBE)
	tests/servers/tshark.sh $(B)
NEEDS_wire-tshark = wire
CI_WAITS += 8:wire-tshark
CI_NEEDS += $(B)/relay

.PHONY: prove prove-leases prove-seeds proved
# A proof takes minutes, and what it reads seldom changes: so its sources are recorded with it, and compared each time.
PROVED_SRC := $(filter-out resp/resp_strerror.c,$(sort $(wildcard resp/*.[ch]))) $(COMMANDS_SRC) $(COMMANDS_HEADERS) \
	tests/golden/templates.inc $(sort $(wildcard tests/proofs/*.c)) tests/proofs/prove.sh
HASHES = (echo '\# SPDX-License-Identifier: MIT' && sha256sum $(PROVED_SRC))
prove: ## hours: prove the parser and the writer: Eva and WP (needs frama-c-base, why3, cvc4); records the sources in tests/proofs/proved.txt
	@$(PROBE)
	tests/proofs/prove.sh $(B)/proofs
	@$(HASHES) >tests/proofs/proved.txt
prove-leases: ## ci: prove the arithmetic of leases for all values: WP, by the contracts at the functions
	@$(PROBE)
	tests/proofs/leases.sh $(B)/proofs-leases
prove-seeds: ## hours: seeded bugs make the proofs fail
	@$(PROBE)
	tests/proofs/seeds.sh $(B)/proofs-seeds
	tests/proofs/leases.sh $(B)/proofs-leases seeds
proved: # part of check
	@$(HASHES) | diff tests/proofs/proved.txt - || { echo "these files are not those that were proved: make prove"; exit 1; }
NEEDS_prove = proof
NEEDS_prove-leases = proof
CI_STAGES += 12:prove-leases
NEEDS_prove-seeds = proof
CHECK_MORE += proved

# The coverage of resp/ by the suites and the replayed corpora: lines, branches and conditions (MC/DC).
CLANG19 = clang-19
COV := $(B)/coverage
.PHONY: coverage-resp
coverage-resp: ## ci: all lines, branches and MC/DC of resp/ are reached by its tests and corpora (clang-19, llvm-19)
	@$(PROBE)
	@mkdir -p $(COV)/tests && rm -f $(COV)/*.raw
	@grep -E '^SUITE\((resp,|cli, cli_commands)' tests/suites.inc >$(COV)/tests/suites.inc # before the one of the tree
	$(CLANG19) -std=c99 -O0 -DNDEBUG -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -I$(COV) -I. \
	    -o $(COV)/check tests/main.c tests/fixtures/guard_page.c $(wildcard tests/resp/*.c) tests/cli/check_cli_commands.c \
	    $(RESP_SRC) $(COMMANDS_SRC) lock/lock_scripts.c \
	    $$(pkg-config --cflags --libs check)
	@CK_FORK=no LLVM_PROFILE_FILE=$(COV)/check.raw $(COV)/check
	@for t in parse roundtrip; do \
	    $(CLANG19) -std=c99 -O0 -DNDEBUG -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -I. \
	        -o $(COV)/$$t fuzz/fuzz_$$t.c fuzz/replay.c $(RESP_SRC) $(COMMANDS_SRC) lock/lock_scripts.c && \
	    LLVM_PROFILE_FILE=$(COV)/$$t.raw $(COV)/$$t fuzz/corpus/$$t/* || exit; done
	llvm-profdata-19 merge -sparse $(COV)/*.raw -o $(COV)/all.profdata
	llvm-cov-19 report $(COV)/check -object $(COV)/parse -object $(COV)/roundtrip \
	    -instr-profile=$(COV)/all.profdata -show-branch-summary -show-mcdc-summary $(RESP_SRC) >$(COV)/report
	@cat $(COV)/report && awk '$$1 == "TOTAL" { found = 1; missed = $$9 + $$12 + $$15 } \
	    END { if (!found || missed) print "resp/ is not covered whole"; exit !found || missed }' $(COV)/report
NEEDS_coverage-resp = cover
CI_STAGES += 10:coverage-resp
