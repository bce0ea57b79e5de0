# SPDX-License-Identifier: MIT
# The reference port (lock/examples/firmware/) on emulated boards: built, run, measured.

FIRMWARE := lock/examples/firmware
BOARDS := m3 m4 rv32
# A memcpy written by hand stays a loop, and does not become a call of itself.
FIRMWARE_FLAGS := -Os -DNDEBUG $(SECTIONS) $(STACK_USAGE) -ffreestanding -fno-tree-loop-distribute-patterns -isystem $(FIRMWARE)/include
FIRMWARE_CORE := $(filter resp/% net/% lock/%,$(CORE_SRC))
FIRMWARE_PORT := $(addprefix $(FIRMWARE)/,ram.c mem.c clock.c unique.c conn_uart.c store_semihosting.c app.c)
FIRMWARE_ARM := $(addprefix $(FIRMWARE)/,start_cortexm.c calls_cortexm.S uart_cmsdk.c)
FIRMWARE_RISCV := $(addprefix $(FIRMWARE)/,start_riscv.c calls_riscv.S uart_16550.c)

# $(call board,NAME,COMPILER AND FLAGS,ITS FILES,ITS LINKER SCRIPT): the image is build/firmware/NAME/firmware.elf
define board
$(eval $(call flavour,firmware/$(1),$(2) $$(WARN_GCC) $(FIRMWARE_FLAGS)))
$(B)/firmware/$(1)/%.o: %.S
	@mkdir -p $$(@D)
	$$(Q)$(2) -c -o $$@ $$<
OBJ_$(1) := $(patsubst %,$(B)/firmware/$(1)/%.o,$(basename $(3) $(FIRMWARE_PORT) $(FIRMWARE_CORE)))
$$(OBJ_$(1)): tests/firmware/firmware.mk
$(B)/firmware/$(1)/firmware.elf: $$(OBJ_$(1)) $(wildcard $(FIRMWARE)/*.ld)
	$$(Q)$(2) -nostdlib -L$(FIRMWARE) -T$(4) -Wl,--gc-sections,-Map=$$@.map -o $$@ $$(OBJ_$(1)) -lgcc
	@$(firstword $(2)) -dumpfullversion >$$(@D)/compiler
endef
$(eval $(call board,m3,$(ARM) -mthumb -mcpu=cortex-m3,$(FIRMWARE_ARM),mps2.ld))
$(eval $(call board,m4,$(ARM) -mthumb -mcpu=cortex-m4,$(FIRMWARE_ARM),mps2.ld))
$(eval $(call board,rv32,$(RISCV) -march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany,$(FIRMWARE_RISCV),virt.ld))

$(B)/firmware/contender: $(B)/lib/tests/firmware/contender.o $(LIB)
$(B)/firmware/bridge: $(B)/lib/tests/firmware/bridge.o
$(B)/firmware/contender $(B)/firmware/bridge:
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

.PHONY: check-arm firmware-update
check-arm firmware-update: $(BOARDS:%=$(B)/firmware/%/firmware.elf) $(B)/firmware/contender $(B)/firmware/bridge
	@$(PROBE)
	tests/firmware/firmware.sh $(FIGURES_ARE) $(B) tests/firmware/figures.txt
check-arm: ## ci: the reference port takes real locks on emulated boards: M3, M4, RV32; flash, .bss and stack
NEEDS_check-arm = arm
NEEDS_firmware-update = arm
CI_WAITS += 40:check-arm
firmware-update: FIGURES_ARE = --update
firmware-update: ## write: tests/firmware/figures.txt
