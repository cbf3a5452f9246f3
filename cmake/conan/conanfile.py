# SPDX-License-Identifier: MIT
# conan create cmake/conan: the headers of the tree this file stands in.
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load
from conan.tools.layout import basic_layout


class Tapeless(ConanFile):
    name = "tapeless"
    description = "Reverse-mode automatic differentiation of array functions, done while compiling"
    license = "MIT"
    topics = ("automatic-differentiation", "autodiff", "simd", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "tapeless", "version.hpp"))
        self.version = ".".join(re.findall(r"#define TAPELESS_VERSION_[A-Z]+ (\d+)", text))

    def export_sources(self):
        for pattern in ("include/*.hpp", "LICENSE"):
            copy(self, pattern, src=self._root, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("xsimd/[>=8.1]", transitive_headers=True)

    def layout(self):
        basic_layout(self, src_folder=".")

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def package(self):
        copy(self, "*.hpp", src=os.path.join(self.source_folder, "include"), dst=os.path.join(self.package_folder, "include"))
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "tapeless")
        self.cpp_info.set_property("cmake_target_name", "tapeless::tapeless")
