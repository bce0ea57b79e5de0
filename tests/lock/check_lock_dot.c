/* SPDX-License-Identifier: MIT */
/*
 * check_lock_dot.c - lock/lock.dot shows the states of lock.c: the same names, and no transition from or to
 * another.
 */
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

enum { STATES_MAX = 16, NAME_MAX = 32 };

struct names {
    char name[STATES_MAX][NAME_MAX];
    int n;
};

static int has(const struct names *names, const char *name)
{
    int i;

    for (i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], name) == 0)
            return 1;
    }
    return 0;
}

static void add(struct names *names, const char *name)
{
    if (has(names, name))
        return;
    ck_assert_int_lt(names->n, STATES_MAX);
    ck_assert_uint_lt(strlen(name), NAME_MAX);
    strcpy(names->name[names->n++], name);
}

static void check_same(const struct names *a, const struct names *b)
{
    int i;

    ck_assert_int_gt(a->n, 1);
    for (i = 0; i < a->n; i++)
        ck_assert_msg(has(b, a->name[i]), "%s is missing on one side", a->name[i]);
    ck_assert_int_eq(a->n, b->n);
}

/* The names of enum lock_state, which is the only text between its first and last line. */
static struct names names_of_enum(void)
{
    struct names names = {.n = 0};
    FILE *f = fopen("lock/lock.c", "re");
    char line[256];
    char name[NAME_MAX];
    int is_in = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        if (strncmp(line, "};", 2) == 0)
            is_in = 0;
        if (is_in && sscanf(line, " %31[A-Z_]", name) == 1)
            add(&names, name);
        if (strcmp(line, "enum lock_state {\n") == 0)
            is_in = 1;
    }
    fclose(f);
    return names;
}

enum part { NODES, SOURCES, TARGETS };

static struct names names_of_drawing(enum part part)
{
    struct names names = {.n = 0};
    FILE *f = fopen("lock/lock.dot", "re");
    char line[256];

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        char from[NAME_MAX];
        char to[NAME_MAX];
        int is_edge = sscanf(line, " %31[A-Z_] -> %31[A-Z_]", from, to) == 2;
        if (is_edge && part != NODES)
            add(&names, part == SOURCES ? from : to);
        else if (!is_edge && part == NODES && sscanf(line, " %31[A-Z_] [label=\"%31[A-Z_]", from, to) == 2) {
            ck_assert_str_eq(from, to);
            add(&names, from);
        }
    }
    fclose(f);
    return names;
}

START_TEST(lock_dot_has_the_states_of_the_code)
{
    struct names code = names_of_enum();
    struct names drawn = names_of_drawing((enum part)_i);

    check_same(&code, &drawn);
}
END_TEST

Suite *suite_lock_dot(void)
{
    Suite *suite = suite_create("lock_dot");
    TCase *tc = suite_case(suite, "drawing", NULL, NULL);

    tcase_add_loop_test(tc, lock_dot_has_the_states_of_the_code, NODES, TARGETS + 1);
    return suite;
}
