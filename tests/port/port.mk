# SPDX-License-Identifier: MIT
# A driver against the rules of net/PORTING.md, and drivers that break them.

# What is checked: sources, one of which has port_driver(); those of the library that it needs.
DRIVER = tests/port/port_posix.c net/net_posix.c net/net_posix_clock.c
PORT_OBJ := $(patsubst %.c,$(B)/lib/%.o,$(filter-out %/port_posix.c,$(sort $(wildcard tests/port/port_*.c))))

.PHONY: check-port port-rules
$(B)/port/port.a: $(PORT_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsD $@ $^
check-port: $(B)/port/port.a ## check: a driver against a hostile peer, for the rules of net/PORTING.md: DRIVER='file.c ...'
	@$(CC) $(WARN) $(CFLAGS) -I. -o $(B)/port/check $(DRIVER) $<
	@$(B)/port/check
port-rules: $(B)/port/port.a ## check: each rule of net/PORTING.md is one that check-port knows, and finds broken
	@tests/port/port.sh --rules
	@CC='$(CC)' tests/port/port.sh $(B)
CHECK_MORE += check-port port-rules
