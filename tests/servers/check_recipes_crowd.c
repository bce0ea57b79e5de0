/* SPDX-License-Identifier: MIT */
/* Recipes of redlock/examples/ that many use at the same time: a hundred readers. */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/recipe.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Suite *suite_recipes_crowd(void);

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

/* The first of the servers is also the cache. What a reader gets stands in the file read. */
#define CACHE         "export CACHE_URL=${REDLOCK_URLS%% *}; "
#define READ          "{ cached.sh prices ./make || echo failed; } >>read"
#define READERS_OF(N) CACHE "all=; for i in $(seq " N "); do " READ " & all=\"$all $!\"; done; wait $all"

/* What the text is made by: it says so, and waits where there is a gate. */
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

/* How often a lock was asked for, on a server that is not the cache. */
static size_t asked(void)
{
    const char *stats = live_command(&r.server[1], "INFO commandstats");
    const char *calls = strstr(stats, "cmdstat_set:calls=");

    return calls == NULL ? 0 : strtoul(calls + strlen("cmdstat_set:calls="), NULL, 10);
}

START_TEST(of_a_hundred_readers_one_makes_it_anew_and_the_others_get_the_old_one)
{
    ck_assert_int_eq(recipe_run(&r, &a, MAKES("old") READERS_OF("1")), 0);
    expire();
    recipe_start(&r, &a, "mkfifo gate; " MAKES("new") READERS_OF("100"));
    while (recipe_lines(&r, "read") < READERS - 1) {
        ck_assert_uint_le(recipe_lines(&r, "made"), 2);
        ck_assert_uint_le(asked(), 1 + READERS); /* once each: who waited would ask again and again */
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

/* It takes no time to make, so many who have seen that it is old get the lock afterwards. */
START_TEST(what_was_made_meanwhile_is_not_made_again)
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

START_TEST(where_there_is_nothing_yet_all_wait_for_the_one_who_makes_it)
{
    recipe_start(&r, &a, "mkfifo gate; " MAKES("new") READERS_OF("10"));
    while (asked() < 10)
        recipe_run(&r, &b, "sleep 0.1");
    ck_assert_uint_eq(recipe_lines(&r, "read"), 0);
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    ck_assert_int_eq(command_end(&a), 0);
    assert_read(10, "new");
    ck_assert_uint_eq(recipe_lines(&r, "made"), 1);
}
END_TEST

START_TEST(what_cannot_be_made_leaves_the_old_one)
{
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices false"), 1);
    ck_assert_str_eq(a.err, "cached.sh: prices is not made anew\n");
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices printf 'two\nlines'"), 0);
    expire();
    ck_assert_int_eq(recipe_run(&r, &a, CACHE "cached.sh prices sh -c 'echo half; exit 1'"), 0);
    ck_assert_str_eq(a.out, "two\nlines\n");
    ck_assert_str_eq(a.err, "cached.sh: prices is not made anew\n");
}
END_TEST

Suite *suite_recipes_crowd(void)
{
    Suite *suite = suite_create("recipes_crowd");
    TCase *tc = tcase_create("three servers");

    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, of_a_hundred_readers_one_makes_it_anew_and_the_others_get_the_old_one);
    tcase_add_test(tc, what_was_made_meanwhile_is_not_made_again);
    tcase_add_test(tc, where_there_is_nothing_yet_all_wait_for_the_one_who_makes_it);
    tcase_add_test(tc, what_cannot_be_made_leaves_the_old_one);
    suite_add_tcase(suite, tc);
    return suite;
}
