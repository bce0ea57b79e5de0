# SPDX-License-Identifier: MIT
# make demo: five servers, eight processes, one lock, one crash. Needs a C compiler and nothing else.

DEMO_SRC := $(sort $(wildcard tests/demo/*.c))

.PHONY: demo check-demo check-readme check-guide check-limits session
demo: $(B)/demo $(B)/standin ## see: eight processes share a file and a lock while a server dies: see it work
	@$(B)/demo

$(B)/demo: $(DEMO_SRC:%.c=$(B)/lib/%.o) $(LIB)
	$(Q)$(CC) -Wl,--gc-sections $(LDFLAGS) -o $@ $^

CHECK_MORE += check-demo check-readme check-guide check-limits
check-demo: $(B)/demo $(B)/standin $(B)/redlock ## check: the demo, on real servers as GUIDE.md shows it, and on the stand-in
	tests/demo/session.sh $(B)
	tests/demo/picture.sh $(B)
	$(B)/demo --standin
	tests/demo/picture.sh $(B)
check-readme: $(LIB) $(B)/redlock $(B)/standin ## check: README's links, commands and first program
	CC='$(CC)' tests/house/readme.sh $(B)

check-guide: ## check: tests that GUIDE.md names exist; its messages are those of the code
	tests/house/guide.sh

check-limits: $(LIB) $(B)/lib/cli.a ## check: the limits and defaults in redlock.3 are those of the code
	@CC='$(CC)' tests/house/limits.sh $(B)

session: $(B)/demo $(B)/redlock ## write: the guide's session, from the demo, status and doctor; redlock/doc/demo.svg
	tests/demo/session.sh $(B) --update
