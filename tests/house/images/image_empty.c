/* SPDX-License-Identifier: MIT */
/* image_empty.c - a firmware that does nothing: what the others are compared with. */
void _start(void);

void _start(void)
{
    for (;;) {
    }
}
