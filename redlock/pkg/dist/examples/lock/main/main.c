/* SPDX-License-Identifier: MIT */
/* main.c - takes a lock on one server, works, and releases it. */
#include "esp_event.h"
#include "esp_netif.h"
#include "nvs_flash.h"
#include "protocol_examples_common.h"
#include "redlock/redlock.h"

#include <stdio.h>

void app_main(void)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000, .wait_ms = 5000, .retry_ms = 50};
    static struct rdl_posix_conn server; /* the connection and its buffers */
    static struct rdl_posix posix;
    static struct rdl_lock lock;
    struct rdl_platform platform; /* sockets, clock and random numbers */
    int rc;

    ESP_ERROR_CHECK(nvs_flash_init());
    ESP_ERROR_CHECK(esp_netif_init());
    ESP_ERROR_CHECK(esp_event_loop_create_default());
    ESP_ERROR_CHECK(example_connect()); /* Wi-Fi or Ethernet, as chosen in menuconfig */

    rc = rdl_posix_conn_init(&server, CONFIG_EXAMPLE_SERVER, NULL);
    if (rc == RDL_OK) {
        rdl_posix_init(&posix, &platform);
        rdl_lock_init(&lock, &opt, &server.conn, RDL_NAME("nightly"));
        rc = rdl_lock_acquire(&lock, &platform);
    }
    if (rc < 0) {
        printf("acquire: %s\n", rdl_strerror(rc));
        return;
    }
    printf("the lock lasts for %u ms\n", (unsigned)rdl_lock_remaining_ms(&lock, rdl_now(&platform)));
    /* the work; if it takes longer: rdl_lock_extend */
    printf("release: %s\n", rdl_strerror(rdl_lock_release(&lock, &platform)));
}
