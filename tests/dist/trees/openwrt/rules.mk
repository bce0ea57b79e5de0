# SPDX-License-Identifier: MIT
# What OpenWrt's rules.mk gives a package's Makefile, as far as ours uses it. recipes.sh sets TOPDIR, DL_DIR and TARGET_CC.
INCLUDE_DIR := $(TOPDIR)/include
BUILD_DIR := $(TOPDIR)/build_dir
TARGET_CFLAGS := -Os -pipe -fno-caller-saves -fno-plt
TARGET_LDFLAGS := -Wl,-z,now -Wl,-z,relro
INSTALL_DIR := install -d -m0755
INSTALL_BIN := install -m0755
