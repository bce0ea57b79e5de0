/* SPDX-License-Identifier: MIT */
/*
 * assert.h - for a compiler without a C library. With NDEBUG an assert does nothing. Without it, a failed
 * assert executes an instruction that does not exist, and the board's fault handler runs.
 */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
