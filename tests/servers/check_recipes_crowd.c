/* SPDX-License-Identifier: MIT */
/*
 * Recipes of redlock/examples/ that many clients use at the same time: a hundred readers, two hundred
 * clients.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/recipe.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct recipe r;
static struct command a, b;

static void setup(void)
{
    recipe_open(&r);
}

static void teardown(void)
{
    recipe_close(&r);
}

/* ---------------------------------------------------------------- cached.sh */

enum { READERS = 100 };

/* The first of the servers is also the cache. The file read has what each reader got. */
#define CACHE         "export CACHE_URL=${REDLOCK_URLS%% *}; "
#define READ          "{ cached.sh prices ./make || echo failed; } >>read"
#define READERS_OF(N) CACHE "all=; for i in $(seq " N "); do " READ " & all=\"$all $!\"; done; wait $all"

/* The command that makes the text: it records its start, and waits if there is a gate. */
#define MAKES(TEXT)                                                                                          \
    "printf '%s\\n' '#!/bin/sh' 'echo made >>made' '[ ! -e gate ] || read -r go <gate' 'echo " TEXT          \
    "' >make;"                                                                                               \
    " chmod +x make; : >read; "

static void assert_read(size_t n, const char *text)
{
    char script[100];

    snprintf(script, sizeof script, "grep -cx '%s' read", text);
    recipe_run(&r, &b, script);
    ck_assert_uint_eq(strtoul(b.out, NULL, 10), n);
}

/* The period is over. */
static void expire(void)
{
    live_command(&r.server[0], "DEL prices:fresh");
}

/* How often a lock was requested on this server; the first one is the cache, too. */
static size_t asked(int i)
{
    const char *stats = live_command(&r.server[i], "INFO commandstats");
    const char *calls = strstr(stats, "cmdstat_set:calls=");

    return calls == NULL ? 0 : strtoul(calls + strlen("cmdstat_set:calls="), NULL, 10);
}

START_TEST(one_of_a_hundred_readers_makes_an_expired_text_again)
{
    ck_assert_int_eq(recipe_run(&r, &a, MAKES("old") READERS_OF("1")), 0);
    expire();
    recipe_start(&r, &a, "mkfifo gate; " MAKES("new") READERS_OF("100"));
    while (recipe_lines(&r, "read") < READERS - 1) {
        ck_assert_uint_le(recipe_lines(&r, "made"), 2);
        ck_assert_uint_le(asked(1), 1 + READERS); /* once each: clients that wait would repeat it */
        recipe_run(&r, &b, "sleep 0.1");
    }
    assert_read(READERS - 1, "old");
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    ck_assert_int_eq(command_end(&a), 0);
    assert_read(1, "new");
    ck_assert_uint_eq(recipe_lines(&r, "made"), 2);
    ck_assert_int_eq(recipe_run(&r, &a, READERS_OF("1")), 0);
    assert_read(2, "new");
    ck_assert_uint_eq(recipe_lines(&r, "made"), 2);
}
END_TEST

/* It takes no time to make, so many readers that saw the old text get the lock afterwards. */
START_TEST(a_text_that_was_just_made_is_not_made_again)
{
    ck_assert_int_eq(recipe_run(&r, &a, MAKES("old") READERS_OF("1")), 0);
    for (size_t period = 1; period <= 3; period++) {
        expire();
        ck_assert_int_eq(recipe_run(&r, &a, MAKES("new") READERS_OF("30")), 0);
        ck_assert_uint_eq(recipe_lines(&r, "read"), 30);
        ck_assert_uint_eq(recipe_lines(&r, "made"), 1 + period);
    }
}
END_TEST

START_TEST(without_an_old_text_all_readers_wait_for_the_new_one)
{
    recipe_start(&r, &a, "mkfifo gate; " MAKES("new") READERS_OF("10"));
    while (asked(1) < 10)
        recipe_run(&r, &b, "sleep 0.1");
    ck_assert_uint_eq(recipe_lines(&r, "read"), 0);
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    ck_assert_int_eq(command_end(&a), 0);
    assert_read(10, "new");
    ck_assert_uint_eq(recipe_lines(&r, "made"), 1);
}
END_TEST

START_TEST(a_text_that_cannot_be_made_leaves_the_old_one)
{
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices false"), 1);
    ck_assert_str_eq(a.err, "cached.sh: prices was not computed again\n");
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices printf 'two\nlines'"), 0);
    expire();
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices sh -c 'echo half; exit 1'"), 0);
    ck_assert_str_eq(a.out, "two\nlines\n");
    ck_assert_str_eq(a.err, "cached.sh: prices was not computed again\n");
}
END_TEST

/* ---------------------------------------------------------------- red_packet.c */

enum { SHARES = 20 };

/*
 * Every tenth of them comes twice, at the same time. The file got has what they got, the file ended how they
 * ended.
 */
START_TEST(twenty_shares_go_to_twenty_of_two_hundred_clients)
{
    static const char open[] =
        "for i in $(seq 20); do printf '%-6u %-16s\n' $((i * i)) -; done >packet\n"
        "open() { red_packet packet client$1 $REDLOCK_URLS >>got; echo $? >>ended; }\n"
        "for i in $(seq 200); do open $i & [ $((i % 10)) -gt 0 ] || open $i & done; wait\n";
    static const char sums[] =
        "awk '{ sum += $2 } END { print sum }' got; cut -d ' ' -f 1 got | sort -u | wc -l;"
        " awk '{ print $2, $1 }' packet | sort | cmp - <(sort got) && echo same;"
        " grep -c '^[034]$' ended";

    ck_assert_int_eq(recipe_run(&r, &a, open), 0);
    ck_assert_int_eq(recipe_run(&r, &b, sums), 0);
    ck_assert_msg(strcmp(b.out, "2870\n20\nsame\n220\n") == 0, "%s%s", b.out, a.err);
    ck_assert_uint_eq(recipe_lines(&r, "got"), SHARES);
    ck_assert_int_eq(recipe_on(&r, "\"red packet\""), 0);
}
END_TEST

/* And it checks again when it has the lock: the holder has taken the first share. */
START_TEST(no_share_is_taken_while_another_client_holds_the_lock)
{
    for (int i = 0; i < RECIPE_SERVERS; i++)
        live_command(&r.server[i], "SET \"red packet\" other PX 60000");
    recipe_start(&r, &a, "printf '%-6u %-16s\n' 7 - 8 - >packet; exec red_packet packet anna $REDLOCK_URLS");
    while (asked(0) < 3)
        recipe_run(&r, &b, "sleep 0.01");
    ck_assert_int_eq(recipe_run(&r, &b, "printf '%-6u %-16s\n' 7 berta 8 - >packet"), 0);
    for (int i = 0; i < RECIPE_SERVERS; i++)
        live_command(&r.server[i], "DEL \"red packet\"");
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_str_eq(a.out, "anna 8\n");
}
END_TEST

START_TEST(each_client_gets_one_share_and_an_empty_packet_none)
{
    ck_assert_int_eq(recipe_run(&r, &a,
                                "printf '%-6u %-16s\n' 7 - 8 - >packet;"
                                " open() { red_packet packet $1 $REDLOCK_URLS; echo $?; };"
                                " open anna; open anna; open berta; open carla; open berta"),
                     0);
    ck_assert_str_eq(a.out, "anna 7\n0\n4\nberta 8\n0\n3\n4\n");
    ck_assert_int_eq(recipe_run(&r, &a, "red_packet none anna $REDLOCK_URLS"), 1);
    ck_assert_str_eq(a.err, "none: nothing taken\n");
    ck_assert_int_eq(recipe_run(&r, &a, "red_packet packet anna_and_berta_and $REDLOCK_URLS"), 2);
    ck_assert_int_eq(recipe_run(&r, &a, "red_packet packet - $REDLOCK_URLS"), 2);
}
END_TEST

Suite *suite_recipes_crowd(void)
{
    Suite *suite = suite_create("recipes_crowd");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_add_test(tc, one_of_a_hundred_readers_makes_an_expired_text_again);
    tcase_add_test(tc, a_text_that_was_just_made_is_not_made_again);
    tcase_add_test(tc, without_an_old_text_all_readers_wait_for_the_new_one);
    tcase_add_test(tc, a_text_that_cannot_be_made_leaves_the_old_one);
    tcase_add_test(tc, twenty_shares_go_to_twenty_of_two_hundred_clients);
    tcase_add_test(tc, no_share_is_taken_while_another_client_holds_the_lock);
    tcase_add_test(tc, each_client_gets_one_share_and_an_empty_packet_none);
    return suite;
}
