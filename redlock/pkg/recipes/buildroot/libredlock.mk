# SPDX-License-Identifier: MIT
################################################################################
#
# libredlock
#
################################################################################

LIBREDLOCK_VERSION = @VERSION@
LIBREDLOCK_SITE = @DOWNLOAD@
LIBREDLOCK_LICENSE = MIT
LIBREDLOCK_LICENSE_FILES = LICENSE
LIBREDLOCK_INSTALL_STAGING = YES
LIBREDLOCK_CONF_OPTS = -DLIBREDLOCK_TESTS=OFF

ifeq ($(BR2_PACKAGE_LIBREDLOCK_COMMAND),y)
LIBREDLOCK_CONF_OPTS += -DLIBREDLOCK_COMMAND=ON
else
# The library is static: nothing of it is on the target.
LIBREDLOCK_CONF_OPTS += -DLIBREDLOCK_COMMAND=OFF
LIBREDLOCK_INSTALL_TARGET = NO
endif

$(eval $(cmake-package))
