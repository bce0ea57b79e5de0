# SPDX-License-Identifier: MIT
# make demo: five servers, eight processes, one lock, one crash. Needs a C compiler and nothing else.

DEMO_SRC := $(sort $(wildcard tests/demo/*.c))

.PHONY: demo check-demo check-readme readme
demo: $(B)/demo $(B)/standin ## see: eight processes share a file and a lock while a server dies: see it work
	@$(B)/demo

$(B)/demo: $(DEMO_SRC:%.c=$(B)/lib/%.o) $(LIB)
	$(Q)$(CC) -Wl,--gc-sections $(LDFLAGS) -o $@ $^

CHECK_MORE += check-demo check-readme
check-demo: $(B)/demo $(B)/standin ## check: the demo, on real servers and on the stand-in: no update is missing
	$(B)/demo
	$(B)/demo --standin
check-readme: $(LIB) $(B)/standin ## check: the README's first program compiles and runs
	CC='$(CC)' tests/house/readme.sh $(B)

readme: ## write: the README's table of sizes, from tests/house/size.txt
	awk -f tests/house/readme_sizes.awk tests/house/size.txt README.md >$(B)/README.md
	cp $(B)/README.md README.md
