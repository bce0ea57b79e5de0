# SPDX-License-Identifier: MIT
# An overlay port: vcpkg install libredlock --overlay-ports=vcpkg. It builds the tree that it is in.
vcpkg_cmake_configure(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." OPTIONS -DLIBREDLOCK_COMMAND=OFF -DLIBREDLOCK_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME libredlock CONFIG_PATH lib/cmake/libredlock)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${CURRENT_PORT_DIR}/../../LICENSE")
