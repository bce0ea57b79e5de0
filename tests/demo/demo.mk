# SPDX-License-Identifier: MIT
# make demo: five servers, eight processes, one lock, one crash. Needs a C compiler and nothing else.

DEMO_SRC := $(sort $(wildcard tests/demo/*.c))

.PHONY: demo
demo: $(B)/demo $(B)/standin ## eight processes share a file and a lock while a server dies: see it work
	@$(B)/demo

$(B)/demo: $(DEMO_SRC:%.c=$(B)/lib/%.o) $(LIB)
	$(Q)$(CC) -Wl,--gc-sections $(LDFLAGS) -o $@ $^
