# SPDX-License-Identifier: MIT
# Buildroot's infrastructure for a package with CMake, as far as our recipe uses it: `make -f buildroot.mk RECIPE=... P=NAME
# NAME=..., DL_DIR=..., OUT=...` verifies the archive and the licence, builds, and installs to OUT/staging and OUT/target.
hash = sed -n 's,^sha256  \([0-9a-f]*\)  \($(2)\),\1  $(1)/\2,p' $(RECIPE)/$(P).hash | grep . | sha256sum --quiet -c
SRC := $(OUT)/build/$(P)

define steps
all:
	$(foreach field,VERSION SITE LICENSE LICENSE_FILES,$(if $($(NAME)_$(field)),,$(error no $(NAME)_$(field))))
	$(call hash,$(DL_DIR),$(P)-$($(NAME)_VERSION).tar.gz)
	mkdir -p $(SRC) && tar -C $(SRC) --strip-components=1 -xf $(DL_DIR)/$(P)-$($(NAME)_VERSION).tar.gz
	$(foreach file,$($(NAME)_LICENSE_FILES),$(call hash,$(SRC),$(file)) &&) true
	cd $(SRC) && cmake . -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=$(TARGET_CC) -DCMAKE_C_FLAGS=-Os \
	    -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_DOC=OFF -DBUILD_TESTS=OFF -DBUILD_SHARED_LIBS=ON $($(NAME)_CONF_OPTS)
	cmake --build $(SRC) -j2
	$(if $(filter YES,$($(NAME)_INSTALL_STAGING)),DESTDIR=$(OUT)/staging cmake --install $(SRC))
	$(if $(filter NO,$($(NAME)_INSTALL_TARGET)),,DESTDIR=$(OUT)/target cmake --install $(SRC))
endef
cmake-package = $(steps)
include $(RECIPE)/$(P).mk
