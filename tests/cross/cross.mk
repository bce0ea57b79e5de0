# SPDX-License-Identifier: MIT
# Other machines and another C library.

.PHONY: check-cross check-cross-suites
check-cross: $(B)/sim $(B)/redlock ## ci: 32-bit ARM, s390x (big-endian) and musl, with ALL_MACHINES=1 x86 and riscv64, come to the same hashes
	@$(PROBE)
	@CC='$(CC)' tests/cross/cross.sh $(B)
NEEDS_check-cross = cross
NEEDS_check-cross-suites = cross
CI_STAGES += 30:check-cross

check-cross-suites: export SUITES_SRC = $(filter-out tests/servers/%,$(TEST_SRC)) $(filter-out %/main.c,$(CLI_SRC)) $(LIB_SRC)
check-cross-suites: ## hours: suites that want no server on 32-bit ARM and x86, s390x and riscv64
	@$(PROBE)
	tests/cross/suites.sh $(B)
