/* SPDX-License-Identifier: MIT */
/* calls_cortexm.S - what C has no words for: sleep, and ask the emulator (semihosting). */
    .syntax unified
    .thumb
    .section .text.idle, "ax"
    .global idle
    .thumb_func
idle: /* interrupts are taken here alone: no stack is needed for one on top of the deepest call */
    cpsie i
    wfi
    cpsid i
    bx lr

    .section .text.semihosting, "ax"
    .global semihosting
    .thumb_func
semihosting: /* r0: which call, r1: its arguments */
    bkpt 0xab
    bx lr
