/* SPDX-License-Identifier: MIT */
/* esp_err.h - ESP-IDF's errors: one that is not 0 stops the program. */
#pragma once

#include <stdlib.h>

typedef int esp_err_t;
#define ESP_ERROR_CHECK(x) ((x) == 0 ? (void)0 : abort())
