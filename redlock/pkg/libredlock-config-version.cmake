# SPDX-License-Identifier: MIT
# Decides whether find_package(libredlock VERSION) accepts this version: it must have the same major version, until 1.0
# also the same minor version, and must not be older.
set(PACKAGE_VERSION "@VERSION@")
if(PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
    return()
endif()
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" libredlock_have "${PACKAGE_VERSION}")
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" libredlock_want "${PACKAGE_FIND_VERSION}")
if(PACKAGE_FIND_VERSION STREQUAL "" OR libredlock_have STREQUAL libredlock_want)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
endif()
