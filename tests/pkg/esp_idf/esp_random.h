/* SPDX-License-Identifier: MIT */
/* esp_random.h - ESP-IDF's source of random numbers. */
#pragma once

#include <stddef.h>

void esp_fill_random(void *bytes, size_t len);
