# SPDX-License-Identifier: MIT
# The reference of the library's functions, made by Doxygen from the public headers.

.PHONY: docs check-docs
docs: ## build: build/docs/, a page for each function of the library: html/index.html, and man pages for install (Doxygen)
	@$(PROBE)
	$(Q)redlock/pkg/reference/docs.sh $(VERSION)
check-docs: docs $(LIB) $(B)/redlock ## ci: the reference has every function, and its man pages are installed; a comment that is missing is an error
	+@tests/pkg/reference.sh "$(MAKE)" $(B) $(VERSION)
CI_STAGES += 10:check-docs
NEEDS_docs = docs
NEEDS_check-docs = docs
