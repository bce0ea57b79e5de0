/* SPDX-License-Identifier: MIT */
/* image.c - the program of an emulated board; targets.sh reads its output. */
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
