/* SPDX-License-Identifier: MIT */
#include "esp_err.h"
esp_err_t esp_netif_init(void);
