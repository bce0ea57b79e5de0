/* SPDX-License-Identifier: MIT */
/* assert.h - nothing is asserted, for a compiler that comes without a C library. */
#define assert(condition) ((void)0)
