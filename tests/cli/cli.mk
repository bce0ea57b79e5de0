# SPDX-License-Identifier: MIT
# The command's mutants (tests/cli/mutants.sh).

NEEDS_mutants-cli = test
NEEDS_mutants-cli-drawn = test
CI_WAITS += 10:mutants-cli-drawn
.PHONY: mutants-cli mutants-cli-drawn
mutants-cli: ## hours: one-line changes of the command, each of which its tests must notice (MUTANTS="name ...")
mutants-cli-drawn: DRAWN = --draw 2
mutants-cli-drawn: ## ci: two of them, chosen by the hash of the commit
mutants-cli mutants-cli-drawn: $(B)/check $(B)/lib/bin/redlock
	@$(PROBE)
	@CC='$(CC)' CFLAGS='$(CFLAGS)' TEST_OBJECTS='$(TEST_SRC:%.c=$(B)/lib/%.o)' \
	    tests/cli/mutants.sh $(DRAWN) $(B) $(MUTANTS)
