/* SPDX-License-Identifier: MIT */
/* calls_cortexm.S - instructions that C does not have: sleep, and call the emulator (semihosting). */
    .syntax unified
    .thumb
    .section .text.idle, "ax"
    .global idle
    .thumb_func
idle: /* interrupts are on only here, so they need no stack on top of the deepest call */
    cpsie i
    wfi
    cpsid i
    bx lr

    .section .text.semihosting, "ax"
    .global semihosting
    .thumb_func
semihosting: /* r0: number of the call, r1: its arguments */
    bkpt 0xab
    bx lr
