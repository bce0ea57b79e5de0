# SPDX-License-Identifier: MIT
# libredlock. `make help` lists the targets. To add a file of
#   the library    put it into resp/, net/, lock/ or redlock/, and a line into redlock/pkg/rdl_posix.c if it makes system calls,
#                  into redlock/pkg/plain/rdl.c if a lock on one server needs it, else into redlock/pkg/rdl.c or, for easy.h,
#                  rdl_easy.c. A public header: HEADERS below, redlock/pkg/rdl.h, rdl_easy.h, rdl_easy.hpp or rdl_uring.h; a public function: redlock/pkg/libredlock.map
#   the command    put it into redlock/cli/ or a folder there
#   the examples   put it into LAYER/examples/; if it needs more than POSIX, add it to MORE_EXAMPLE_SRC, its library to LIBS_
#   the tests      put a suite into tests/FOLDER/check_NAME.c, and a line into tests/suites.inc; put what several suites
#                  share into tests/fixtures/
# Fragments (FRAGMENTS below) add targets of their own and may extend these:
#   CHECK_MORE   parts of `make check`: targets that fail by their exit status
#   CHECK_NEEDS  files that the test suite needs
#   NEEDS_TARGET the groups of tests/house/deps.sh that TARGET needs; its recipe probes for them with $(PROBE)
#   CI_STAGES    SECONDS:TARGET, what .ci/run makes beside `make check` and `make lint`, as in 90:lint
#   CI_WAITS     the same for targets that wait for servers and clocks: one at a time
#   CI_NEEDS     files that several of these need

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:

CC := $(if $(filter default,$(origin CC)),cc,$(CC))
GCC = gcc
CLANG = clang
ARM = arm-none-eabi-gcc
RISCV = riscv64-unknown-elf-gcc
MUSL = musl-gcc
PREFIX = /usr/local
DESTDIR =
LIBDIR = $(PREFIX)/lib
CFLAGS = -O2 -g
CPPFLAGS ?=
# A warning of a compiler that we do not know stops nobody's build; .ci/run sets -Werror.
WERROR ?=
V =

B := build
# Several goals are made one after the other, also with -j: `make -j deps check`, `make -j clean all`. What a goal calls
# make for, as check does, is parallel. So are goals that are only built.
ifneq ($(and $(word 2,$(MAKECMDGOALS)),$(filter-out all lib $(B)/%,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif
Q := $(if $(V),,@)
LIB := $(B)/libredlock.a
FRAGMENTS := tests/proofs/proofs.mk fuzz/fuzz.mk tests/bench/bench.mk tests/sim/sim.mk tests/demo/demo.mk \
	tests/cli/cli.mk tests/servers/servers.mk tests/peers/peers.mk tests/port/port.mk \
	tests/cross/cross.mk tests/dist/dist.mk tests/firmware/firmware.mk tests/targets/targets.mk tests/pkg/pkg.mk tests/pkg/reference.mk tests/mutation/mutation.mk tests/assumptions/assumptions.mk

# The sources of the library, as redlock/pkg/ lists them. The core makes no system calls.
listed = $(filter-out redlock/pkg/%,$(sort $(shell sed -n 's/^\#include "\(.*\.c\)"$$/\1/p' $(1:%=redlock/pkg/%))))
CORE_SRC := $(call listed,plain/rdl.c rdl.c)
POSIX_SRC := $(call listed,rdl_posix.c rdl_easy.c rdl_uring.c)
LIB_SRC := $(CORE_SRC) $(POSIX_SRC)
LIB_H := $(wildcard resp/*.h net/*.h lock/*.h redlock/*.h redlock/easy/*.h)
UNLISTED := $(filter-out $(LIB_SRC),$(wildcard resp/*.c net/*.c lock/*.c redlock/*.c redlock/easy/*.c))
ifneq ($(UNLISTED),)
$(error no list of sources has $(UNLISTED). Add a line to redlock/pkg/plain/rdl.c, redlock/pkg/rdl.c, redlock/pkg/rdl_posix.c, redlock/pkg/rdl_easy.c or redlock/pkg/rdl_uring.c: \
	see the top of the Makefile)
endif
CLI_SRC := $(sort $(wildcard redlock/cli/*.c redlock/cli/*/*.c))
# Those that need more than POSIX are built for the tests alone.
MORE_EXAMPLE_SRC := $(addprefix lock/examples/,loops/libuv.c loops/io_uring.c loops/lwip.c) redlock/examples/epoll_server.c
TLS_EXAMPLE_SRC := $(wildcard */examples/tls_*.c) redlock/examples/easy_tls.c
EXAMPLE_SRC := $(filter-out $(MORE_EXAMPLE_SRC) $(TLS_EXAMPLE_SRC),$(sort $(wildcard */examples/*.c)))
TEST_DIRS := fixtures resp net lock redlock cli servers
TEST_SRC := $(filter-out %_main.c,$(sort $(wildcard tests/main.c $(addprefix tests/,$(TEST_DIRS:%=%/*.c)) tests/sim/server*.c \
	tests/sim/lua*.c tests/sim/sha1.c tests/sim/check_*.c) $(addprefix lock/examples/firmware/,clock.c conn_uart.c unique.c)))
VERSION := $(shell sed -n 's/^\#define RDL_VERSION  *"\(.*\)"/\1/p' resp/resp.h)
# Programs linked with one release run with another of the same: until 1.0 those of one minor version.
SONAME := libredlock.so.$(shell echo $(VERSION) | sed -E 's/^(0\.[0-9]+|[0-9]+)\..*/\1/')
# The public ones: programs include them, and they are installed.
HEADERS := resp/resp_results.h resp/resp.h net/net.h net/net_credentials.h net/net_stream.h net/net_posix_resolve.h net/net_uring.h $(patsubst %,lock/lock_%.h,results limits state) \
	lock/lock.h $(patsubst %,lock/lock_%.h,io fenced multi owner hint legacy) redlock/redlock.h redlock/redlock_owner.h redlock/slots.h \
	redlock/easy.h redlock/easy_sentinel.h redlock/easy_thread.h redlock/easy.hpp
# The folders whose suites need no server and start no process.
ALONE := resp/ net/ lock/ redlock/ cli/ sim/
EXAMPLES := $(addprefix $(B)/examples/,$(subst /examples/,/,$(basename $(EXAMPLE_SRC))))

# The warning set; -Wcast-align=strict is gcc's name for what clang calls -Wcast-align.
WARN := -std=c99 -pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wcast-align -Wvla -Wshadow -Wundef \
	-Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wformat=2 -Wnull-dereference
WARN_GCC := $(WARN) -Wcast-align=strict
SECTIONS := -ffunction-sections -fdata-sections
# Two warnings need what gcc knows about values, which it forgets where it instruments.
SANITIZE := -fsanitize=address,undefined -fsanitize=bounds-strict -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -Wno-null-dereference -Wno-format-truncation
STACK_USAGE := -fstack-usage -fcallgraph-info=su,da
SMALL := -Os -DNDEBUG $(SECTIONS) $(STACK_USAGE)
THUMB := -mthumb -ffreestanding
export B WARN WARN_GCC CORE_SRC POSIX_SRC CLI_SRC HEADERS

# ------------------------------------------------------------------ what is built

.PHONY: all lib static shared install install-lib install-shared install-standin uninstall clean help
all: lib $(if $(CLI_SRC),$(B)/redlock) $(EXAMPLES) ## build: the library, the command, the examples (default)
lib: $(LIB) ## build: build/libredlock.a alone

# $(call flavour,NAME,COMPILER AND FLAGS): objects in build/NAME/, the source tree's layout below it
define flavour
$(B)/$(1)/%.o: %.c Makefile
	@mkdir -p $$(@D)
	$$(if $$(V),,@echo "  cc/$(1) $$<")
	$$(Q)$(2) $$(WERROR) $$(CPPFLAGS) -I. -MMD -MP -c -o $$@ $$<
endef
# Position-independent, so that a shared object may link the archive; the same bytes wherever the tree stands.
$(eval $(call flavour,lib,$$(CC) $$(WARN) $$(CFLAGS) -fPIC $$(SECTIONS) -fdebug-prefix-map='$$(CURDIR)=.'))
# Small: nothing for a debugger, and one address to be loaded at. What is not inlined may, for all gcc knows, be cut off.
STATIC_CC := $(MUSL) $(WARN) -Wno-format-truncation -Os -fno-asynchronous-unwind-tables -fno-pie $(SECTIONS)
$(eval $(call flavour,static,$$(STATIC_CC)))
# The command with some verbs alone, in a folder of its own.
ALL_VERBS := run acquire extend release hold status list break doctor
VERBS :=
NOTHING :=
STATIC := static$(if $(VERBS),/$(subst $(NOTHING) ,-,$(strip $(VERBS))))
each_verb = -D'$(1)(X)=$(foreach verb,$(2),X($(verb),$(shell echo $(verb) | tr a-z A-Z)))'
ifneq ($(VERBS),)
$(if $(filter-out $(ALL_VERBS),$(VERBS)),$(error unknown verb in VERBS: $(filter-out $(ALL_VERBS),$(VERBS)). Give some of $(ALL_VERBS)))
$(eval $(call flavour,$(STATIC),$$(STATIC_CC) $(call each_verb,RDL_CLI_EACH_VERB,$(VERBS)) \
	$(call each_verb,RDL_CLI_EACH_VERB_LEFT_OUT,$(filter-out $(VERBS),$(ALL_VERBS)))))
endif
$(eval $(call flavour,asan,$$(GCC) $$(WARN_GCC) -O1 -g $$(SANITIZE)))
$(eval $(call flavour,clang,$$(CLANG) $$(WARN) -Os -g))
$(eval $(call flavour,size/x86-64,$$(GCC) $$(WARN_GCC) $$(SMALL) -fno-pie))
$(eval $(call flavour,size/m0plus,$$(ARM) $$(WARN_GCC) $$(SMALL) $$(THUMB) -mcpu=cortex-m0plus))
$(eval $(call flavour,size/m4,$$(ARM) $$(WARN_GCC) $$(SMALL) $$(THUMB) -mcpu=cortex-m4))

# $(call program,FLAVOUR,COMPILER,SUITE,LIBRARY): the library and the command of a flavour, and its test suite.
# The suite also links the command's files but main.c, so that they can be tested one by one.
# Symbols are bound at the start (-z now). Otherwise redlock, its guardian and the command's process would each bind them again.
define program
$(B)/$(1)/libredlock.a: $(LIB_SRC:%.c=$(B)/$(1)/%.o)
$(B)/$(1)/cli.a: $(patsubst %.c,$(B)/$(1)/%.o,$(filter-out %/main.c,$(CLI_SRC)))
$(B)/$(1)/%.a:
	@rm -f $$@
	$$(Q)ar rcsD $$@ $$^
$(B)/$(1)/bin/redlock: $(CLI_SRC:%.c=$(B)/$(1)/%.o) $(4)
	@mkdir -p $$(@D)
	$$(Q)$(2) -Wl,--gc-sections -Wl,-z,now $$(LDFLAGS) -o $$@ $$^
$(B)/$(3): $(TEST_SRC:%.c=$(B)/$(1)/%.o) $(B)/$(1)/cli.a $(4)
	@tests/house/suites.sh
	$$(Q)$(2) $$(LDFLAGS) -o $$@ $$^ $$(shell pkg-config --cflags --libs check)
endef
$(eval $(call program,lib,$$(CC),check,$(B)/lib/libredlock.a))
$(eval $(call program,asan,$$(GCC) $$(SANITIZE),check-asan,$(B)/asan/libredlock.a))
# The library as one file (tests/pkg/pkg.mk).
$(eval $(call program,clang,$$(CLANG),check-clang,$(B)/amalgam/clang/rdl.o $(B)/amalgam/clang/rdl_posix.o $(B)/amalgam/clang/rdl_easy.o $(B)/amalgam/clang/rdl_uring.o))

$(LIB): $(B)/lib/libredlock.a
	@cp $< $@
$(B)/redlock: $(B)/lib/bin/redlock
	@cp $< $@
static: $(B)/$(STATIC)/bin/redlock ## build: build/static/bin/redlock, the command as one file that needs no other (musl-gcc); VERBS="run hold": with these verbs alone
# Nothing in it is relocated, so it needs no page that becomes read-only after that, and no padding for one.
$(B)/$(STATIC)/bin/redlock: $(LIB_SRC:%.c=$(B)/static/%.o) $(CLI_SRC:%.c=$(B)/$(STATIC)/%.o)
	@mkdir -p $(@D)
	$(Q)$(MUSL) -static -no-pie -s -Wl,--gc-sections,--build-id=none,-z,noseparate-code,-z,norelro,-z,common-page-size=64 -Wl,-Map=$@.map -o $@ $^
# For systems with ELF.
SHARED := $(B)/shared/libredlock.so.$(VERSION)
shared: $(SHARED) ## build: build/shared/, the library as a shared one
$(SHARED): $(LIB_SRC:%.c=$(B)/lib/%.o) redlock/pkg/libredlock.map
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=redlock/pkg/libredlock.map -Wl,-z,defs \
	    -Wl,--gc-sections $(LDFLAGS) -o $@ $(filter %.o,$^)
	@cd $(@D) && ln -sf $(@F) $(SONAME) && ln -sf $(SONAME) libredlock.so
$(EXAMPLES): $(B)/examples/%: $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) -Wl,--gc-sections $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB)
$(foreach s,$(EXAMPLE_SRC),$(eval $(B)/examples/$(subst /examples/,/,$(basename $(s))): $(s:%.c=$(B)/lib/%.o)))

MORE_EXAMPLES := $(addprefix $(B)/examples/,$(subst /examples/,/,$(basename $(MORE_EXAMPLE_SRC))))
LIBS_libuv := -luv
LIBS_io_uring := -luring
LIBS_lwip := -llwip -lslirp
$(MORE_EXAMPLES): $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(LIBS_$(@F))
$(foreach s,$(MORE_EXAMPLE_SRC),$(eval $(B)/examples/$(subst /examples/,/,$(basename $(s))): $(s:%.c=$(B)/lib/%.o)))
# The streams for TLS, each with a program. tls_twice is a program of the tests.
OPENSSL_EXAMPLES := $(addprefix $(B)/examples/,lock/tls_openssl lock/tls_twice redlock/easy_tls)
$(B)/examples/lock/tls_openssl: $(B)/lib/lock/examples/tls_program.o
$(B)/examples/lock/tls_twice: $(B)/lib/tests/servers/tls_twice_main.o
$(B)/examples/redlock/easy_tls: $(B)/lib/redlock/examples/easy_tls.o
$(OPENSSL_EXAMPLES): $(B)/lib/lock/examples/tls_openssl.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) -lssl -lcrypto
$(B)/examples/lock/tls_mbedtls: lock/examples/tls_program.c $(B)/lib/lock/examples/tls_mbedtls.o $(LIB) lock/examples/tls_mbedtls.h $(HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(WARN) $(CFLAGS) $(WERROR) $(CPPFLAGS) -I. -DUSE_MBEDTLS $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) \
	    -lmbedtls -lmbedx509 -lmbedcrypto
MORE_EXAMPLES += $(OPENSSL_EXAMPLES) $(B)/examples/lock/tls_mbedtls
# In C++; a program that includes the library's headers gets no warning from them. The example links no threads.
CXX_FLAGS := -std=c++11 -Wall -Wextra -pedantic -Werror -I.
$(B)/examples/redlock/raii: redlock/examples/raii.cpp $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXX_FLAGS) $(LDFLAGS) -o $@ $< $(LIB)
	@! nm $@ | grep rdl_easy_start_thread
# The tests of easy.hpp, with each compiler.
EASY_HPP := $(addprefix $(B)/examples/redlock/easy_hpp_,g++ clang++)
$(EASY_HPP): $(B)/examples/redlock/easy_hpp_%: tests/servers/easy_hpp.cpp $(LIB) $(HEADERS)
	@mkdir -p $(@D)
	$(Q)$* $(CXX_FLAGS) -fno-exceptions -fno-rtti -g -fsanitize=address -pthread $(LDFLAGS) -o $@ $< $(LIB)
MORE_EXAMPLES += $(B)/examples/redlock/raii $(EASY_HPP)
# The driver alone is the example; the board that it runs on is the tests'.
$(B)/examples/lock/loops/lwip: $(B)/lib/tests/servers/lwip_main.o $(B)/lib/tests/port/slirp.o
$(addprefix $(B)/lib/,lock/examples/loops/lwip.o tests/servers/lwip_main.o tests/port/slirp.o): CPPFLAGS += -isystem \
	$(shell pkg-config --variable=includedir lwip)

.PHONY: FORCE
FORCE:

INC := $(DESTDIR)$(PREFIX)/include/libredlock
# Where the shells look.
BASH_COMPLETION := share/bash-completion/completions/redlock
ZSH_COMPLETION := share/zsh/site-functions/_redlock
FISH_COMPLETION := share/fish/vendor_completions.d/redlock.fish
COMPLETIONS := $(addprefix $(B)/completion.,bash zsh fish)
# $(call put,MODE,FILE,WHERE): as the install of every system can; -D is GNU's alone. Some give folders the umask's rights.
put = umask 022 && install -d '$(dir $(3))' && install -m $(1) $(2) '$(3)'
CMAKE := $(DESTDIR)$(LIBDIR)/cmake/libredlock
# The guide, and what it links to.
DOC := share/doc/redlock
RECIPES := $(wildcard redlock/examples/*.sh) redlock/examples/red_packet.c
# A page for each function, if `make docs` was run.
MAN3 = $(wildcard $(B)/docs/man/man3/*.3)
install-lib: lib $(B)/libredlock.pc $(B)/libredlock-config-version.cmake ## build: of these headers, library and the functions' man pages alone, which runs nothing that it built
	$(foreach h,$(HEADERS),$(call put,644,$(h),$(INC)/$(h)) && )true
	$(call put,644,$(LIB),$(DESTDIR)$(LIBDIR)/libredlock.a)
	$(call put,644,$(B)/libredlock.pc,$(DESTDIR)$(LIBDIR)/pkgconfig/libredlock.pc)
	$(call put,644,redlock/pkg/libredlock-config.cmake,$(CMAKE)/libredlock-config.cmake)
	$(call put,644,$(B)/libredlock-config-version.cmake,$(CMAKE)/libredlock-config-version.cmake)
	$(call put,644,redlock/doc/redlock.3,$(DESTDIR)$(PREFIX)/share/man/man3/redlock.3)
	@$(foreach m,$(MAN3),$(call put,644,$(m),$(DESTDIR)$(PREFIX)/share/man/man3/$(notdir $(m))) && )true
install: install-lib $(B)/redlock $(COMPLETIONS) $(B)/redlock.1 $(B)/GUIDE.md $(B)/LEGACY.md ## build: headers, library, command, man pages (a page for each function after `make docs`), guide, completions (PREFIX, LIBDIR, DESTDIR)
	$(call put,755,$(B)/redlock,$(DESTDIR)$(PREFIX)/bin/redlock)
	$(call put,644,$(B)/redlock.1,$(DESTDIR)$(PREFIX)/share/man/man1/redlock.1)
	$(call put,644,$(B)/GUIDE.md,$(DESTDIR)$(PREFIX)/$(DOC)/GUIDE.md)
	$(call put,644,$(B)/LEGACY.md,$(DESTDIR)$(PREFIX)/$(DOC)/LEGACY.md)
	$(foreach r,$(RECIPES),$(call put,644,$(r),$(DESTDIR)$(PREFIX)/$(DOC)/examples/$(notdir $(r))) && )true
	$(call put,644,$(B)/completion.bash,$(DESTDIR)$(PREFIX)/$(BASH_COMPLETION))
	$(call put,644,$(B)/completion.zsh,$(DESTDIR)$(PREFIX)/$(ZSH_COMPLETION))
	$(call put,644,$(B)/completion.fish,$(DESTDIR)$(PREFIX)/$(FISH_COMPLETION))
# The files that the manual names are where they are installed, and so are those that the guide links to.
$(B)/redlock.1: redlock/cli/redlock.1 FORCE
	@mkdir -p $(@D)
	@sed '/^\.Pa/s,/usr/local,$(PREFIX),' $< >$@
$(COMPLETIONS): $(B)/completion.%: $(B)/redlock
	@$< completion $* >$@
$(B)/GUIDE.md: redlock/doc/GUIDE.md
	@mkdir -p $(@D)
	@sed -E -e 's,\]\(\.\./\.\./lock/LEGACY,](LEGACY,g' -e 's,\]\((\.\./cli/)?redlock\.([13])\),](../../man/man\2/redlock.\2),g' -e 's,\[([^]]*)\]\(\.\./DESIGN\.md[^)]*\),\1,g' -e 's,\]\(\.\./examples/,](examples/,g' $< >$@
$(B)/LEGACY.md: lock/LEGACY.md
	@mkdir -p $(@D)
	@sed -E 's,\[([^]]*)\]\([^):]*\),\1,g' $< >$@
$(B)/libredlock.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))' \
	    'Name: libredlock' 'Description: distributed locks over Redis and Valkey' \
	    'Version: $(VERSION)' \
	    'Cflags: -I$${prefix}/include/libredlock' 'Libs: -L$${libdir} -lredlock' >$@
$(B)/libredlock-config-version.cmake: redlock/pkg/libredlock-config-version.cmake resp/resp.h
	@mkdir -p $(@D)
	@sed 's/@VERSION@/$(VERSION)/' $< >$@
install-shared: shared ## build: the shared library besides (what -lredlock then links); run ldconfig afterwards
	$(call put,755,$(SHARED),$(DESTDIR)$(LIBDIR)/$(notdir $(SHARED)))
	cd $(DESTDIR)$(LIBDIR) && ln -sf $(notdir $(SHARED)) $(SONAME) && ln -sf $(SONAME) libredlock.so
install-standin: $(B)/standin ## build: redlock-standin besides, a server for tests of programs that take locks, with its man page
	$(call put,755,$(B)/standin,$(DESTDIR)$(PREFIX)/bin/redlock-standin)
	$(call put,644,tests/servers/redlock-standin.1,$(DESTDIR)$(PREFIX)/share/man/man1/redlock-standin.1)
uninstall: ## build: remove what these put there
	cd $(DESTDIR)$(LIBDIR) && rm -f libredlock.a libredlock.so libredlock.so.* pkgconfig/libredlock.pc && rm -rf cmake/libredlock
	cd $(DESTDIR)$(PREFIX) && rm -rf include/libredlock bin/redlock bin/redlock-standin share/man/man1/redlock.1 \
	    share/man/man1/redlock-standin.1 share/man/man3/redlock.3 \
	    share/man/man3/rdl_*.3 share/man/man3/libredlock_*.3 \
	    $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION) $(DOC)
clean: ## build: remove build/
	rm -rf $(B)
# A target is listed if ## and its group stand behind it.
HELP_GROUPS = build:Build see:Look check:Check ci:Check,_longer hours:For_hours bench:Measure write:Write_anew_what_is_committed
help: ## build: this list
	@for g in $(HELP_GROUPS); do \
	    echo "$${g#*:}" | tr _ ' '; \
	    sed -nE "s/^([a-z][a-z0-9_-]*):.*## $${g%%:*}: (.*)/\1\t\2/p" Makefile $(wildcard $(FRAGMENTS)) | \
	        sort | awk -F '\t' '{ printf "  %-14s %s\n", $$1, $$2 }'; \
	done

# ------------------------------------------------------------------ what is checked

# Suites at a time: most of them wait for servers and clocks. Six a core, 16 at most.
CHECK_JOBS := $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n * 6 < 16 ? n * 6 : 16)))
CHECK_MORE =
CHECK_NEEDS = $(EXAMPLES) $(MORE_EXAMPLES)
CI_STAGES = 90:lint
CI_WAITS = 250:check
CI_NEEDS = $(foreach s,check check-asan check-clang,$(B)/$(s)) $(foreach f,lib asan clang,$(B)/$(f)/bin/redlock) \
	$(EXAMPLES) $(MORE_EXAMPLES) $(B)/redlock
CHECK_PARTS = check-gcc check-asan check-clang layers size headers stale check-install $(CHECK_MORE)
$(foreach part,check check-gcc check-asan check-clang,$(eval NEEDS_$(part) = test))
NEEDS_quick = quick
NEEDS_lint = lint
NEEDS_misra = lint
NEEDS_weekly = test lint live peers wire prometheus recipes proxies fuzz model proof cross machines targets cover fresh release trees service
# Random for each commit, and the same each time for one.
COMMIT_NUMBER = $$((0x$$(git rev-parse --short=7 HEAD 2>/dev/null || echo 1)))
PROBE = tests/house/deps.sh --probe $(NEEDS_$@)
# What `make deps` installs: groups, or all. STAGE=TARGET: what that target needs.
DEPS = $(NEEDS_$(or $(STAGE),check))

.PHONY: check check-gcc check-asan check-clang quick quick-suites quick-sim quick-lint weekly busy busy-gcc busy-asan fresh fresh-stages layers size size-update headers stale objects check-install lint misra deps
check: ## check: all tests; installs nothing, what is missing is an error
	+@$(PROBE) && tests/house/parts.sh $(B)/results "$(MAKE)" $(CHECK_PARTS)
check-gcc: $(B)/check $(B)/lib/bin/redlock $(CHECK_NEEDS) ## check: the test suite, built as shipped
check-asan: $(B)/check-asan $(B)/asan/bin/redlock $(CHECK_NEEDS) ## check: the test suite with ASan and UBSan
check-clang: $(B)/check-clang $(B)/clang/bin/redlock $(CHECK_NEEDS) ## check: the tests of the library built with clang, the library as one file
# RDL_COMMAND is the command to test; one suite alone: build/check resp_parse. Sanitizers report to files,
# because tests read the stderr of what they start; a report is a failure whatever the test made of it.
RESULTS = $(B)/results
check-asan quick-suites: export ASAN_OPTIONS = log_path=$(abspath $(RESULTS))/report
check-asan quick-suites: export UBSAN_OPTIONS = $(ASAN_OPTIONS),print_stacktrace=1
quick-suites: ONLY = $(ALONE)
# These two mostly wait for failovers: gcc and ASan run it each time, clang in `make weekly`.
check-clang: ONLY = $(filter-out easy_failover easy_sentinel,$(LIBRARY_SUITES))
RUN_SUITES = mkdir -p $(RESULTS) && rm -f $(RESULTS)/report.* && \
	    echo "$< with RDL_COMMAND=$(lastword $(filter %/redlock,$^))" && \
	    RDL_COMMAND=$(lastword $(filter %/redlock,$^)) $< -j $(CHECK_JOBS) -r $(RESULTS)/$@ $(ONLY); status=$$?; \
	    for r in $(RESULTS)/report.*; do [ ! -e $$r ] || { cat $$r; status=1; }; done; exit $$status
check-gcc check-asan check-clang quick-suites:
	@$(RUN_SUITES)

# The answer while you work. What it finds `make check` and `make lint` find too.
quick: ## check: in a minute, without a server: suites with ASan, scenarios, layers, format, warnings of what differs
	+@$(PROBE) && tests/house/parts.sh $(B)/quick "$(MAKE) RESULTS=$(B)/quick" \
	    quick-lint headers layers quick-sim quick-suites
quick-suites: $(B)/check-asan
quick-sim: $(B)/sim
	@mkdir -p $(RESULTS)
	@$(B)/sim scenarios >$(RESULTS)/scenarios.log || { cat $(RESULTS)/scenarios.log; exit 1; }
	$(B)/sim 1:200
quick-lint:
	@tests/house/lint.sh format; status=$$?; tests/house/lint.sh --changed gcc shell && exit $$status

# What need not be seen each time: variables make the stages longer.
WEEKLY = RESULTS=$(B)/weekly ONLY= SECONDS_EACH=60 RDL_COMMANDS=1000000 RDL_RECONNECTS=200 RDL_TICKS=1000 RDL_SLOT_ROUNDS=500 SEEDS=1:1000000 MODEL=-a BOTH=1 ALL_MACHINES=1 ANALYZE_TESTS=1 DRAW=840 DRAW_SEED=$$(date +%j) T=$$((1800 / $(words $(FUZZ)))) API_T=3600
weekly: ## hours: all suites with clang, long bench-split and sim_server, a million seeds, an hour of both fuzzers and one of the API fuzzer, metrics by promtool, recipes by systemd and Ansible, two proxies, counterexamples, failovers, larger models, all proofs, coverage, mutants of the library and of the command, tests under load, other machines, other clients, fresh machines, the release made again, recipes of other trees, the workflow file
	+@$(PROBE) && tests/house/parts.sh $(B)/weekly "$(MAKE) $(WEEKLY)" \
	    check-clang check-uring bench-split promtool recipes proxies live counterexamples failovers check-peers sim sim-branch mutants busy model prove prove-seeds coverage mutate mutants-cli lint misra check-cross check-cross-suites check-targets fuzz fuzz-api fuzz-afl fuzz-build fresh fresh-stages check-release check-reproduce check-recipes check-workflow
busy: busy-gcc busy-asan ## hours: suites of tests/servers/ ten times under eight busy loops, with gcc and with ASan and UBSan
busy-gcc: $(B)/check $(B)/lib/bin/redlock $(CHECK_NEEDS)
busy-asan: $(B)/check-asan $(B)/asan/bin/redlock $(CHECK_NEEDS) | busy-gcc # one after the other
busy-gcc busy-asan:
	RDL_TICKS=20 RDL_COMMAND=$(lastword $(filter %/redlock,$^)) tests/servers/busy.sh $< 10 8 $(CHECK_JOBS) servers/
fresh: ## hours: the README's two commands, or STAGE=NAME or all, from what is committed, in an empty chroot of Debian 12 and 13 (RELEASE=...); as root
	@status=0; for release in $(or $(RELEASE),bookworm trixie); do tests/house/fresh.sh $$release $(STAGE) || status=1; done; exit $$status
fresh-stages:
	+@$(MAKE) fresh STAGE=all

SIZES := x86-64 m0plus m4
SIZE_OBJ := $(foreach t,$(SIZES),$(CORE_SRC:%.c=$(B)/size/$(t)/%.o))
layers: $(LIB) $(CLI_SRC:%.c=$(B)/lib/%.o) $(SIZE_OBJ) ## check: who includes whom, which symbols each object wants and gives
	tests/house/layers.sh $(B)
size: $(SIZE_OBJ) ## check: text, stack and struct sizes against tests/house/size.txt and the budgets
	tests/house/size.sh $(B)/size tests/house/size.txt
size-update: $(SIZE_OBJ) ## write: tests/house/size.txt
	tests/house/size.sh --update $(B)/size tests/house/size.txt
headers: ## check: every public header parses alone, as C99 and as C++ (easy.hpp: C++ alone); the plain lock's has at most 250 lines
	@[ $$(wc -l <lock/lock.h) -le 250 ] || { echo "lock/lock.h has more than 250 lines"; exit 1; }
	@for h in $(HEADERS); do echo "  parse $$h" && \
	    case $$h in *.hpp) ;; *) $(GCC) $(WARN_GCC) -Werror -I. -fsyntax-only -x c $$h ;; esac && \
	    $(CLANG) $(CXX_FLAGS) -fsyntax-only -x c++ $$h || exit; done
stale: $(B)/check $(B)/check-asan $(B)/check-clang $(SIZE_OBJ) ## check: were a header touched, all that includes it is made again
	@tests/house/stale.sh $(B) "$(MAKE)"
objects: $(OBJECTS)
check-install: all ## check: install to a staging folder, use what is there, uninstall
	+@tests/house/install.sh "$(MAKE)" $(abspath $(B))/staging
lint: ## check: clang-tidy, cppcheck, gcc -fanalyzer, shellcheck, the house rules, references to what does not exist
	@$(PROBE)
	@BUILT='$(TEST_SRC) $(CLI_SRC)' tests/house/lint.sh
misra: ## hours: MISRA C:2012 by cppcheck's addon, over the library, against redlock/doc/MISRA.md
	@$(PROBE)
	@tests/house/misra.sh
deps: ## check: install what `make check` needs (STAGE=TARGET: what that target needs; DEPS=all: everything); may need root
	@tests/house/deps.sh $(DEPS)
.PHONY: ci-stages ci-waits ci-needs ci-build needs
needs: # of STAGE
	@echo $(NEEDS_$(STAGE))
ci-stages:
	@echo $(CI_STAGES)
ci-waits:
	@echo $(CI_WAITS)
ci-needs: # groups of packages
	@echo $(sort $(foreach stage,$(CI_STAGES) $(CI_WAITS),$(NEEDS_$(lastword $(subst :, ,$(stage))))))

-include $(wildcard $(FRAGMENTS))
ci-build: $(CI_NEEDS)
-include $(shell find $(B) -path '$(B)/servers' -prune -o -type f -name '*.d' -print 2>/dev/null)
