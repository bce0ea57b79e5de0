# SPDX-License-Identifier: MIT
# Other machines and another C library.

.PHONY: check-cross
check-cross: $(B)/sim $(B)/redlock ## ci: 32-bit ARM and x86, s390x (big-endian), riscv64 and musl come to the same hashes
	@tests/house/deps.sh --probe cross
	@CC='$(CC)' tests/cross/cross.sh $(B)
CI_STAGES += 30:check-cross
