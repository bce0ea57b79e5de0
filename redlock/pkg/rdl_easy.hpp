/* SPDX-License-Identifier: MIT */
/* rdl_easy.hpp - easy.hpp for rdl_easy.h: `make amalgam` writes it as one file. */
#include "redlock/easy.hpp"
