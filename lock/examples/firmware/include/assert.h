/* SPDX-License-Identifier: MIT */
/* assert.h - an assert that does nothing, for a compiler without a C library. */
#define assert(condition) ((void)0)
