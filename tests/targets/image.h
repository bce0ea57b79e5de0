/* SPDX-License-Identifier: MIT */
/* image.h - the parts of the image that runs on processors without an operating system. */
#ifndef RDL_TESTS_IMAGE_H
#define RDL_TESTS_IMAGE_H

#include <stdint.h>

/* How many fail: of the rows of vectors/resp2.tsv; of the steps of a few locks, byte for byte. */
int image_vectors(void);
int image_script(void);
/* How many steps of two locks over one conn fail. */
int image_queue(void);
/* An acquire and its release, over and over; says what both cost; how many calls fail. */
int image_cost(void);

/* board_*.c: makes printf work, and the clock run */
void board_init(void);
/* Instructions executed so far, in steps of up to 100. */
uint32_t board_instructions(void);
void board_end(void);

#endif
