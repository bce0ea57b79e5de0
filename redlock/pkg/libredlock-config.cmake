# SPDX-License-Identifier: MIT
# find_package(libredlock) reads this file. The target libredlock::libredlock is the library that `make install` installed.
get_filename_component(libredlock_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(libredlock_prefix "${libredlock_libdir}" DIRECTORY)
# LIBDIR may be several folders below the prefix.
while(NOT EXISTS "${libredlock_prefix}/include/libredlock/redlock/redlock.h")
    get_filename_component(libredlock_above "${libredlock_prefix}" DIRECTORY)
    if(libredlock_above STREQUAL libredlock_prefix)
        set(libredlock_FOUND FALSE)
        set(libredlock_NOT_FOUND_MESSAGE "no include/libredlock above ${libredlock_libdir}")
        return()
    endif()
    set(libredlock_prefix "${libredlock_above}")
endwhile()
if(NOT TARGET libredlock::libredlock)
    add_library(libredlock::libredlock STATIC IMPORTED)
    set_target_properties(libredlock::libredlock PROPERTIES
        IMPORTED_LOCATION "${libredlock_libdir}/libredlock.a"
        INTERFACE_INCLUDE_DIRECTORIES "${libredlock_prefix}/include/libredlock")
endif()
