/* SPDX-License-Identifier: MIT */
/* random.h - Zephyr's random numbers for cryptography. */
#pragma once

#include <stddef.h>

int sys_csrand_get(void *bytes, size_t len);
