# SPDX-License-Identifier: MIT
# OpenWrt's package.mk, as far as our recipe uses it: `make compile` verifies, unpacks, builds, installs into TOPDIR/root and strips.
PKG_INSTALL_DIR = $(PKG_BUILD_DIR)/ipkg-install

define BuildPackage
compile:
	$(foreach field,NAME VERSION RELEASE SOURCE SOURCE_URL HASH MAINTAINER LICENSE LICENSE_FILES,$(if $(PKG_$(field)),,$(error no PKG_$(field))))
	$(if $(findstring TITLE:=,$(Package/$(1))),,$(error no TITLE))
	$(if $(Package/$(1)/description),,$(error no description))
	echo '$(PKG_HASH)  $(DL_DIR)/$(PKG_SOURCE)' | sha256sum --quiet -c
	mkdir -p $(BUILD_DIR) && tar -C $(BUILD_DIR) -xf $(DL_DIR)/$(PKG_SOURCE)
	ls $(addprefix $(PKG_BUILD_DIR)/,$(PKG_LICENSE_FILES))
	$(Build/Configure)
	$(Build/Compile)
	$(Build/Install)
	$(call Package/$(1)/install,$(TOPDIR)/root)
	find $(TOPDIR)/root -type f | xargs strip
endef
