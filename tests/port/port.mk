# SPDX-License-Identifier: MIT
# A driver against the rules of port_rules.c (net/PORTING.md), and drivers that break them.

# The sources to check, one of which has port_driver(); those of the library that it needs.
SOCKETS = net/net_posix.c net/net_posix_poll.c net/net_posix_process.c net/net_posix_clock.c
DRIVER = tests/port/port_posix.c $(SOCKETS)
PORT_OBJ := $(patsubst %.c,$(B)/lib/%.o,$(filter-out %/port_posix.c %/port_stream.c %/port_small.c %/port_uring.c,$(sort $(wildcard tests/port/port_*.c))) net/net_stream.c)

.PHONY: check-port check-port-stream check-port-lwip check-port-uring port-rules
$(B)/port/port.a: $(PORT_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsD $@ $^
check-port: $(B)/port/port.a ## check: a driver against a hostile peer (net/PORTING.md): DRIVER='file.c ...'
	@$(CC) $(WARN) $(CFLAGS) -I. -o $(B)/port/check $(DRIVER) $<
	@$(B)/port/check
# The example of net/PORTING.md, which is also in lock/examples/small_chunks.c.
$(B)/port/stream_example.c: net/PORTING.md
	@mkdir -p $(@D)
	@sed -n '/^```c$$/,/^```$$/p' $< | sed '/^```/d' >$@
	@echo 'extern const struct rdl_stream_ops *const port_example;' >>$@
	@echo 'const struct rdl_stream_ops *const port_example = &line;' >>$@
# Its buffer has 4 KB (the driver for sockets), 16 bytes, 64 bytes.
check-port-stream: $(B)/port/port.a $(B)/port/stream_example.c ## check: the same for the stream of net/PORTING.md
	@$(CC) $(WARN) $(CFLAGS) -I. -o $(B)/port/check-stream tests/port/port_stream.c $(B)/port/stream_example.c $(SOCKETS) $<
	@$(B)/port/check-stream
	@for n in 16 64; do \
	    $(CC) $(WARN) $(CFLAGS) -I. -DPORT_BUFFER=$$n -o $(B)/port/check-stream-$$n tests/port/port_small.c \
	        $(B)/port/stream_example.c $(SOCKETS) $< && $(B)/port/check-stream-$$n || exit; \
	done
LWIP_DRIVER := tests/port/lwip_driver.c tests/port/slirp.c lock/examples/loops/lwip.c net/net_posix_clock.c
check-port-lwip: $(B)/port/port.a ## check: the same for the driver for lwIP, whose Ethernet ends in libslirp
	@$(CC) $(WARN) $(CFLAGS) -I. -isystem $(shell pkg-config --variable=includedir lwip) -o $(B)/port/check-lwip \
	    $(LWIP_DRIVER) $< -llwip -lslirp
	@$(B)/port/check-lwip
URING_DRIVER := tests/port/port_uring.c net/net_uring.c $(SOCKETS)
check-port-uring: $(B)/port/port.a ## check: the same for the driver over io_uring; where that is refused, it says so and checks what is used instead
	@$(CC) $(WARN) $(CFLAGS) -I. -o $(B)/port/check-uring $(URING_DRIVER) $<
	@$(B)/port/check-uring
port-rules: $(B)/port/port.a $(B)/port/stream_example.c ## check: check-port finds a driver that breaks a rule, for each rule
	@tests/port/port.sh --rules
	@CC='$(CC)' tests/port/port.sh $(B)

# A driver for a line that never closes by itself: other cases, with the same checking conn.
LINE_DRIVER = tests/port/line_uart.c $(addprefix lock/examples/firmware/,conn_uart.c clock.c unique.c)
.PHONY: check-line
check-line: $(B)/port/port.a $(B)/lib/tests/port/line_cases.o ## check: a driver for a line against a bridge that brings old bytes: LINE_DRIVER='file.c ...'
	@$(CC) $(WARN) $(CFLAGS) -I. -o $(B)/port/line $(LINE_DRIVER) $(B)/lib/tests/port/line_cases.o $<
	@$(B)/port/line
port-rules: $(B)/lib/tests/port/line_cases.o
CHECK_MORE += check-port check-port-stream check-port-lwip check-port-uring check-line port-rules
