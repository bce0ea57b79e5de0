# SPDX-License-Identifier: MIT
# The packages for other builds (redlock/pkg/), and their checks.

.PHONY: check-pkg
check-pkg: ## ci: the library as one file, as a shared one, installed elsewhere; the static command
	+@$(PROBE) && tests/house/parts.sh $(B)/pkg "$(MAKE) RESULTS=$(B)/pkg" $(PKG_PARTS)
CI_STAGES += 40:check-pkg
PKG_PARTS = amalgam-lists check-shared check-tools check-static check-builds check-embedded
$(foreach part,check-pkg check-reproduce $(PKG_PARTS),$(eval NEEDS_$(part) = pkg))

# ------------------------------------------------------------------ one file
.PHONY: amalgam amalgam-lists
PKG := redlock/pkg
AMALGAM := $(B)/amalgam
amalgam: $(AMALGAM)/rdl.c $(AMALGAM)/plain/rdl.c ## build: build/amalgam/rdl.c, rdl.h and rdl_posix.c, rdl_easy.c, rdl_easy.h and rdl_easy.hpp, rdl_uring.c and rdl_uring.h; plain/: for one server alone
$(AMALGAM)/%/rdl.c: LISTS = $(PKG)/plain/rdl.h $(PKG)/plain/rdl.c
$(AMALGAM)/rdl.c: LISTS = $(PKG)/rdl.h $(PKG)/rdl_easy.h $(PKG)/rdl_easy.hpp $(PKG)/rdl_uring.h $(PKG)/rdl.c $(PKG)/rdl_easy.c $(PKG)/rdl_uring.c
$(AMALGAM)/rdl.c $(AMALGAM)/plain/rdl.c: $(wildcard $(PKG)/*.[ch] $(PKG)/*.hpp $(PKG)/plain/*.[ch]) $(PKG)/flatten.awk redlock/easy.hpp $(LIB_SRC) $(LIB_H)
	@mkdir -p $(@D)
	$(Q)awk -v out=$(@D) -f $(PKG)/flatten.awk $(LISTS) $(PKG)/rdl_posix.c

# The suites of the library run with it, compiled by clang (check-clang). gcc has no warning for it either.
amalgam-lists: $(AMALGAM)/plain/rdl.c $(patsubst %,$(AMALGAM)/gcc/%.o,rdl rdl_posix rdl_easy rdl_uring) ## ci: the one file has every source; what a firmware links of the small one
	@tests/pkg/amalgam.sh $(AMALGAM)

# $(call one_file,COMPILER'S NAME,COMPILER AND FLAGS)
define one_file
$(AMALGAM)/$(1)/%.o: $(AMALGAM)/rdl.c
	@mkdir -p $$(@D)
	$$(Q)$(2) $$(WERROR) -c -o $$@ $(AMALGAM)/$$*.c
endef
$(eval $(call one_file,gcc,$(GCC) $(WARN_GCC) -O2 -g))
$(eval $(call one_file,clang,$(CLANG) $(WARN) -Os -g))

# ------------------------------------------------------------------ a shared library
.PHONY: check-shared
check-shared: $(SHARED) $(LIB) ## ci: what the shared library exports, and that it keeps what the last release promised
	@tests/pkg/shared.sh $(SHARED) $(LIB)

# ------------------------------------------------------------------ the same bytes again
.PHONY: sbom check-reproduce
SBOM := $(B)/libredlock.spdx
sbom: $(SBOM) ## build: build/libredlock.spdx, what the library and the command are made of, as SPDX
$(SBOM): $(LIB_SRC) $(CLI_SRC) $(LIB_H) $(wildcard redlock/cli/*/*.h) FORCE
	$(Q)$(PKG)/sbom.sh $(VERSION) $(filter-out FORCE,$^) >$@
check-reproduce: $(B)/redlock $(SHARED) $(LIB) ## hours: built and installed from another folder it is the same, byte for byte; its SBOM too, and true
	+@tests/pkg/reproduce.sh "$(MAKE)"

# ------------------------------------------------------------------ on other systems
.PHONY: check-tools check-static
check-tools: $(B)/redlock $(SHARED) $(LIB) ## ci: install and uninstall with busybox's tools
	@tests/pkg/tools.sh "$(MAKE)"
FEW := run acquire extend release hold
check-static: $(B)/static/bin/redlock $(B)/standin ## ci: the static command in an empty chroot, with all verbs and with some; its size, by part
	+@$(MAKE) static VERBS="$(FEW)"
	@tests/pkg/static.sh $(B)/static/bin/redlock $(B)/standin 337000 "run, acquire, extend, release, hold, status, list, break or doctor"
	@tests/pkg/static.sh $(B)/static/$(subst $(NOTHING) ,-,$(FEW))/bin/redlock $(B)/standin 273300 "run, acquire, extend, release or hold"

# ------------------------------------------------------------------ in other builds
.PHONY: check-builds
check-builds: $(B)/redlock $(LIB) ## ci: the README's program with CMake and Meson, as a part of their build and as installed
	+@tests/pkg/builds.sh "$(MAKE)" $(VERSION)

# ------------------------------------------------------------------ on small systems with sockets
.PHONY: check-embedded
check-embedded: $(B)/standin ## ci: the driver for sockets as ESP-IDF and Zephyr compile it, and the program for them
	@tests/pkg/embedded.sh $(B)/standin
