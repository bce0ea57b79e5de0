/* SPDX-License-Identifier: MIT */
/* image.h - the parts of the image for processors without an operating system. */
#ifndef RDL_TESTS_IMAGE_H
#define RDL_TESTS_IMAGE_H

#include <stdint.h>

/* The number of failures: rows of vectors/resp2.tsv; steps of a few locks, byte for byte. */
int image_vectors(void);
int image_script(void);
/* The number of failed steps of two locks over one conn. */
int image_queue(void);
/* An acquire and its release, over and over. Prints the cost of both; returns the number of failed calls. */
int image_cost(void);

/* board_*.c: makes printf work, and the clock run */
void board_init(void);
/* Instructions executed so far, in steps of up to 100. */
uint32_t board_instructions(void);
void board_end(void);

#endif
