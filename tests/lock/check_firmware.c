/* SPDX-License-Identifier: MIT */
/*
 * check_firmware.c - the reference port (lock/examples/firmware/) without a board: the tick, the UART, the
 * store and the serial number are variables here.
 */
#include <stdio.h>
#include <string.h>

#include "lock/examples/firmware/board.h"
#include "tests/suite.h"

/* ---------------------------------------------------------------- the board */

extern const uint8_t serial[8];
const uint8_t serial[8] = {'b', 'o', 'a', 'r', 'd', '0', '0', '7'};

const uint32_t ticks_per_ms = 10;
static uint32_t now_ticks;

uint32_t tick(void)
{
    return now_ticks;
}

static void pass_ms(uint32_t ms)
{
    now_ticks += ms * ticks_per_ms;
}

static uint32_t stored;
static int forgets, halted;

uint32_t store_read(const char *name)
{
    ck_assert_str_eq(name, "boots");
    return stored;
}

void store_write(const char *name, uint32_t number)
{
    ck_assert_str_eq(name, "boots");
    if (!forgets)
        stored = number;
}

void halt(int status)
{
    halted = status;
}

/* What was sent over the line, what arrives on it, and whether the UART lost a byte. */
static char sent[256];
static size_t sent_len;
static const char *coming = "";
static int is_lost;

int uart_put(uint8_t byte)
{
    ck_assert_uint_lt(sent_len, sizeof sent - 1);
    sent[sent_len++] = (char)byte;
    sent[sent_len] = '\0';
    return 1;
}

int uart_get(uint8_t *byte)
{
    if (is_lost) {
        is_lost = 0;
        return -1;
    }
    if (*coming == '\0')
        return 0;
    *byte = (uint8_t)*coming++;
    return 1;
}

/* ---------------------------------------------------------------- the clock */

START_TEST(clock_counts_on_when_the_tick_wraps)
{
    uint64_t before;
    int i;

    now_ticks = UINT32_MAX - 25;
    before = clock_ms();
    for (i = 1; i <= 10; i++) {
        pass_ms(1);
        ck_assert_uint_eq(clock_ms(), before + (uint64_t)i);
    }
}
END_TEST

START_TEST(clock_runs_past_the_range_of_the_tick)
{
    uint64_t before = clock_ms();
    int i;

    for (i = 0; i < 100; i++) {
        pass_ms(UINT32_MAX / 2 / ticks_per_ms);
        clock_ms();
    }
    ck_assert_uint_eq(clock_ms(), before + UINT64_C(100) * (UINT32_MAX / 2 / ticks_per_ms));
}
END_TEST

START_TEST(clock_loses_no_part_of_a_ms)
{
    uint64_t before = clock_ms();
    int i;

    for (i = 0; i < 1000; i++) {
        now_ticks += 7;
        clock_ms();
    }
    ck_assert_uint_eq(clock_ms(), before + 700);
}
END_TEST

START_TEST(tick_that_goes_back_extends_no_lease)
{
    uint64_t before, after;

    pass_ms(5000);
    before = clock_ms();
    pass_ms(100);
    now_ticks -= 3000 * ticks_per_ms; /* a driver error: 100 ms have passed, and the tick says -2,900 */
    after = clock_ms();
    ck_assert_uint_ge(after, before + 100);
    pass_ms(1);
    ck_assert_uint_eq(clock_ms(), after + 1);
}
END_TEST

/* ---------------------------------------------------------------- bytes that never come twice */

static void boot_and_draw(uint8_t drawn[RDL_ENTROPY_LEN])
{
    unique_start();
    unique_bytes(drawn);
}

START_TEST(unique_bytes_differ_from_call_to_call)
{
    uint8_t one[RDL_ENTROPY_LEN], two[RDL_ENTROPY_LEN];

    boot_and_draw(one);
    unique_bytes(two);
    ck_assert_mem_ne(one, two, sizeof one);
    ck_assert_mem_eq(one, serial, sizeof serial);
}
END_TEST

/* Each test is a process, so the call counters start again as after a boot; only the store lasts. */
START_TEST(boot_is_counted_before_any_bytes_are_drawn)
{
    stored = 41;
    unique_start();
    ck_assert_uint_eq(stored, 42);
    ck_assert_int_eq(halted, 0);
}
END_TEST

START_TEST(unique_bytes_contain_the_boot_count)
{
    uint8_t one[RDL_ENTROPY_LEN], two[RDL_ENTROPY_LEN];

    boot_and_draw(one);
    boot_and_draw(two);
    ck_assert_mem_ne(one + 8, two + 8, 4);
}
END_TEST

START_TEST(forgetful_store_is_detected)
{
    forgets = 1;
    unique_start();
    ck_assert_int_ne(halted, 0);
}
END_TEST

/* ---------------------------------------------------------------- the line */

static const struct rdl_endpoint endpoint;
static uint64_t queue[RDL_QUEUE_FOR(1, 1) / 8];
static const struct rdl_conn_config config = {.endpoint = &endpoint,
                                              .methods = &rdl_methods_script,
                                              .queue = queue,
                                              .queue_len = sizeof queue,
                                              .stream = &line_stream};
static const struct rdl_lock_options options = {.ttl_ms = 10000, .attempt_ms = 600};
static struct rdl_conn conn;
static struct rdl_lock lock;

/* One turn of a main loop. */
static int drive(const char *bytes)
{
    uint8_t chunk[16];

    coming = bytes;
    rdl_stream_drive(&conn, chunk, sizeof chunk);
    return rdl_lock_step(&lock, clock_ms());
}

/* Runs the loop until everything is sent. */
static void drive_on(void)
{
    size_t before;

    do {
        before = sent_len;
        drive("");
    } while (sent_len > before);
}

static void set_up(void)
{
    uint8_t unique[RDL_ENTROPY_LEN];

    unique_start();
    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &options, &conn, "n", 1);
    unique_bytes(unique);
    rdl_lock_acquire_begin(&lock, unique, clock_ms());
    drive_on();
}

/* The reply to the last ECHO that was sent. */
static const char *echo(void)
{
    static char answer[64];
    const char *question = strstr(sent, "ECHO ");

    ck_assert_ptr_nonnull(question);
    snprintf(answer, sizeof answer, "$33\r\n%s", question + 5);
    sent_len = 0;
    return answer;
}

START_TEST(line_is_used_only_after_an_echo)
{
    ck_assert_uint_eq(sent_len, strlen("\r\nECHO N0123456789abcdef0123456789abcdef\r\n"));
    ck_assert_int_eq(strncmp(sent, "\r\nECHO N", 8), 0);
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_OPENING);
    drive(echo());
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_READY);
    drive("");
    ck_assert_int_eq(strncmp(sent, "*6\r\n$3\r\nSET\r\n", 13), 0);
}
END_TEST

START_TEST(line_ignores_an_old_grant_before_the_echo)
{
    ck_assert_int_eq(drive("+OK\r\n:10000\r\n"), RDL_PENDING);
    ck_assert_int_eq(drive("$33\r\nNaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n+OK\r\n"), RDL_PENDING);
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_OPENING);
    drive(echo());
    drive_on();
    ck_assert_int_eq(drive("$-1\r\n:777\r\n"), RDL_BUSY);
}
END_TEST

START_TEST(line_echo_is_found_after_similar_bytes)
{
    char bytes[96];

    snprintf(bytes, sizeof bytes, "N%.20sN%s", strstr(sent, "N"), echo() + strlen("$33\r\n"));
    drive(bytes);
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_READY);
}
END_TEST

START_TEST(line_sends_a_new_echo_after_a_timeout)
{
    char first[64];

    snprintf(first, sizeof first, "%s", echo());
    pass_ms(250);
    drive(first);
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_OPENING);
    ck_assert_str_ne(echo(), first);
    pass_ms(249);
    drive("");
    ck_assert_uint_eq(sent_len, 0);
}
END_TEST

START_TEST(line_sends_a_new_echo_after_a_quiet_time)
{
    drive(echo());
    drive_on();
    pass_ms(499);
    drive("+OK\r\n:10000\r\n");
    ck_assert_uint_gt(rdl_lock_remaining_ms(&lock, clock_ms()), 0);
    pass_ms(500);
    ck_assert_int_eq(rdl_lock_extend_begin(&lock, 20000, clock_ms()), RDL_PENDING);
    drive_on();
    ck_assert_int_ne(drive(":1\r\n"), RDL_OK); /* this may be another connection */
    ck_assert_uint_le(rdl_lock_remaining_ms(&lock, clock_ms()), 10000);
}
END_TEST

/* The reply may have arrived long before it was read: what follows it counts from the request. */
START_TEST(line_is_valid_from_the_echo_request_on)
{
    pass_ms(249);
    drive(echo());
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_READY);
    pass_ms(251);
    drive("");
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_CLOSED);
}
END_TEST

START_TEST(line_that_lost_a_byte_is_closed)
{
    drive(echo());
    drive_on();
    is_lost = 1;
    drive("+OK\r\n:10000\r\n");
    ck_assert_int_eq(rdl_conn_state(&conn), RDL_CONN_CLOSED);
    ck_assert_uint_eq(rdl_lock_remaining_ms(&lock, clock_ms()), 0);
}
END_TEST

/* ---------------------------------------------------------------- */

Suite *suite_firmware(void)
{
    Suite *s = suite_create("firmware");
    TCase *board = suite_case(s, "clock, unique", NULL, NULL);
    TCase *line = suite_case(s, "line", set_up, NULL);

    tcase_add_test(board, clock_counts_on_when_the_tick_wraps);
    tcase_add_test(board, clock_runs_past_the_range_of_the_tick);
    tcase_add_test(board, clock_loses_no_part_of_a_ms);
    tcase_add_test(board, tick_that_goes_back_extends_no_lease);
    tcase_add_test(board, unique_bytes_differ_from_call_to_call);
    tcase_add_test(board, boot_is_counted_before_any_bytes_are_drawn);
    tcase_add_test(board, unique_bytes_contain_the_boot_count);
    tcase_add_test(board, forgetful_store_is_detected);
    tcase_add_test(line, line_is_used_only_after_an_echo);
    tcase_add_test(line, line_ignores_an_old_grant_before_the_echo);
    tcase_add_test(line, line_echo_is_found_after_similar_bytes);
    tcase_add_test(line, line_sends_a_new_echo_after_a_timeout);
    tcase_add_test(line, line_sends_a_new_echo_after_a_quiet_time);
    tcase_add_test(line, line_is_valid_from_the_echo_request_on);
    tcase_add_test(line, line_that_lost_a_byte_is_closed);
    return s;
}
