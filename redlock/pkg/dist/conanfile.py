# SPDX-License-Identifier: MIT
from os.path import join

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class LibredlockConan(ConanFile):
    name = "libredlock"
    version = "@VERSION@"
    description = "Distributed locks over Redis and Valkey, in C99 with nothing but libc"
    license = "MIT"
    url = "@URL@"
    homepage = "@URL@"
    topics = ("redis", "valkey", "lock", "redlock")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "CMakeLists.txt", "LICENSE", "resp/*", "net/*", "lock/*", "redlock/*"

    def configure(self):  # C only
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LIBREDLOCK_COMMAND"] = False
        toolchain.cache_variables["LIBREDLOCK_TESTS"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["redlock"]
        self.cpp_info.includedirs = [join("include", "libredlock")]
        self.cpp_info.set_property("cmake_file_name", "libredlock")
        self.cpp_info.set_property("cmake_target_name", "libredlock::libredlock")
        self.cpp_info.set_property("pkg_config_name", "libredlock")
