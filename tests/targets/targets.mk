# SPDX-License-Identifier: MIT
# Processors without an operating system, emulated. The C library of each cross compiler starts the images, prints
# and ends them, by semihosting.

# The library's objects for Cortex-M0 and M4 are those that `make size` measures.
RV32 := -march=rv32imac -mabi=ilp32 --specs=picolibc.specs
TARGET := -Os $(SECTIONS)
$(eval $(call flavour,targets/m0,$$(ARM) $$(WARN_GCC) $$(TARGET) -mthumb -mcpu=cortex-m0 $$(BOARD_M0)))
$(eval $(call flavour,targets/m3,$$(ARM) $$(WARN_GCC) $$(TARGET) -mthumb -mcpu=cortex-m3 $$(BOARD_MPS2)))
$(eval $(call flavour,targets/rv32,$$(RISCV) $$(WARN_GCC) $$(TARGET) $$(RV32)))

# 16 bits, and a compiler that knows fewer warnings. Every size is below 2^31 there.
AVR = avr-gcc
AVR_WARN := $(filter-out -Wnull-dereference -Wcast-align=strict,$(WARN_GCC)) -Wno-type-limits -Wno-missing-field-initializers
ATMEGA := -mmcu=atmega1284p
AVR_LINK := $(ATMEGA) -Wl,--gc-sections
$(eval $(call flavour,targets/avr,$$(AVR) $$(AVR_WARN) $$(TARGET) $$(ATMEGA)))

# The end of the board's memory, and the clock of its SysTick: micro:bit; MPS2.
BOARD_M0 := -DBOARD_STACK=0x20004000 -DBOARD_MHZ=16
BOARD_MPS2 := -DBOARD_STACK=0x22000000 -DBOARD_MHZ=25
M0_LINK := -mthumb -mcpu=cortex-m0 -Wl,-Tdata=0x20000000
MPS2_LINK := -mthumb -mcpu=cortex-m3 -Wl,-Tdata=0x21000000
NEWLIB := --specs=rdimon.specs -Wl,--gc-sections,--section-start=.vectors=0,--undefined=board_vectors
RV32_LINK := $(RV32) --crt0=semihost --oslib=semihost -Wl,--gc-sections,--defsym=__stack_size=64k \
	-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=4M,--defsym=__ram=0x80400000,--defsym=__ram_size=64M

IMAGE_SRC := $(sort $(wildcard tests/targets/image*.c)) tests/resp/grammar.c $(B)/targets/vectors.c
$(B)/targets/vectors.c: tests/targets/vectors.awk tests/vectors/resp2.tsv
	@mkdir -p $(@D)
	awk -f $^ >$@
# The longest row of the table is longer than a compiler need take; of the simulator as of $(B)/sim.
$(foreach t,m0 m3 rv32 avr,$(B)/targets/$(t)/$(B)/targets/vectors.o): CPPFLAGS += -Wno-overlength-strings
$(foreach t,m3 rv32,$(filter $(B)/targets/$(t)/tests/sim/%,$(SIM_ALL:%.c=$(B)/targets/$(t)/%.o))): CPPFLAGS += -w

# $(call target,NAME,BOARD,TESTS,LIBRARY,LINK): the flavours of the tests' objects and of the library's
define target
$(B)/targets/image-$(1).elf: $(patsubst %.c,$(B)/targets/$(3)/%.o,$(IMAGE_SRC) tests/targets/board_$(2).c) $(CORE_SRC:%.c=$(B)/$(4)/%.o)
	$$(Q)$(5) -o $$@ $$^
$(B)/targets/sim-$(1).elf: $(patsubst %.c,$(B)/targets/$(3)/%.o,$(filter tests/sim/%,$(SIM_ALL)) $(SIM_BOARD_$(2))) $(CORE_SRC:%.c=$(B)/$(4)/%.o)
	$$(Q)$(5) -o $$@ $$^
endef
SIM_BOARD_cortexm := tests/targets/board_cortexm.c # its vectors
$(eval $(call target,m0,cortexm,m0,size/m0plus,$$(ARM) --specs=nano.specs $$(NEWLIB) $$(M0_LINK)))
$(eval $(call target,m3,cortexm,m3,targets/m3,$$(ARM) $$(NEWLIB) $$(MPS2_LINK)))
$(eval $(call target,m4,cortexm,m3,size/m4,$$(ARM) $$(NEWLIB) $$(MPS2_LINK)))
$(eval $(call target,rv32,riscv,rv32,targets/rv32,$$(RISCV) $$(RV32_LINK)))
$(eval $(call target,avr,avr,avr,targets/avr,$$(AVR) $$(AVR_LINK)))

.PHONY: check-targets targets-update
export SIMULATED := m4 $(if $(ALL_MACHINES),m3 rv32)
TARGET_IMAGES := $(foreach t,m0 m3 m4 rv32 avr,$(B)/targets/image-$(t).elf) $(SIMULATED:%=$(B)/targets/sim-%.elf)
check-targets: $(B)/sim $(TARGET_IMAGES) ## ci: emulated Cortex-M0, M3, M4, RV32, AVR: vectors, a lock byte for byte; M4, with ALL_MACHINES=1 M3 and RV32: the simulator
	@$(PROBE)
	@tests/targets/targets.sh $(B)
targets-update: $(B)/sim $(TARGET_IMAGES) ## write: tests/targets/figures.txt
	@$(PROBE)
	tests/targets/targets.sh --update $(B)
NEEDS_check-targets = targets
NEEDS_targets-update = targets
CI_STAGES += 30:check-targets
