/* SPDX-License-Identifier: MIT */
/* board_avr.c - simavr's ATmega: text goes to the serial line; sleeping without interrupts ends it. */
#include "tests/targets/image.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>

static int put(char c, FILE *f)
{
    (void)f;
    loop_until_bit_is_set(UCSR0A, UDRE0);
    UDR0 = (uint8_t)c;
    return 0;
}

void board_init(void)
{
    static FILE line = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);

    UCSR0B = 1 << TXEN0;
    stdout = &line;
}

/* Not counted: the AVR is tested for its 16 bits. */
uint32_t board_instructions(void)
{
    return 0;
}

void board_end(void)
{
    cli();
    sleep_enable();
    sleep_cpu();
}
