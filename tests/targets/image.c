/* SPDX-License-Identifier: MIT */
/* image.c - what an emulated board runs; targets.sh reads what it says. */
#include "tests/targets/image.h"

#include <stdio.h>

int main(void)
{
    int failed;

    board_init();
    failed = image_vectors() + image_script() + image_queue() + image_cost();
    printf("failed: %d\n", failed);
    board_end();
    return failed != 0;
}
