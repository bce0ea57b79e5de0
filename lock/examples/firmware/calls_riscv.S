/* SPDX-License-Identifier: MIT */
/* calls_riscv.S - the first instructions, and those that C does not have: sleep, semihosting calls. */
    .section .vectors, "ax"
    .global reset
reset:
    la t0, fault
    csrw mtvec, t0
    la sp, stack_top
    li t0, 128
    csrw mie, t0 /* the timer ends wfi; interrupts stay off */
    j start
    .balign 4
fault:
    li a0, 99
    j halt

    .section .text.wait_for_interrupt, "ax"
    .global wait_for_interrupt
wait_for_interrupt:
    wfi
    ret

    .section .text.semihosting, "ax"
    .global semihosting
    .balign 16
semihosting: /* a0: number of the call, a1: its arguments; the three instructions are words in one page */
    .option push
    .option norvc
    slli zero, zero, 0x1f
    ebreak
    srai zero, zero, 7
    .option pop
    ret
