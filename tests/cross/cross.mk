# SPDX-License-Identifier: MIT
# Other machines and another C library.

.PHONY: check-cross check-cross-suites
check-cross: $(B)/sim ## ci: the simulator on 32-bit PowerPC (big-endian) ends as here; ALL_MACHINES=1: ARM, x86, s390x, riscv64 and musl, too
	@$(PROBE)
	@tests/cross/cross.sh $(B)
NEEDS_check-cross = cross $(if $(ALL_MACHINES),machines)
NEEDS_check-cross-suites = machines
CI_STAGES += 30:check-cross

check-cross-suites: export SUITES_SRC = $(filter-out tests/servers/%,$(TEST_SRC)) $(filter-out %/main.c,$(CLI_SRC)) $(LIB_SRC)
check-cross-suites: ## hours: suites that want no server on 32-bit ARM and x86, s390x and riscv64
	@$(PROBE)
	tests/cross/suites.sh $(B)
