/* SPDX-License-Identifier: MIT */
/*
 * eva_slice.c - every template, with arguments of any bytes, into every two slices: the first as large as
 * the cut, the second as large as the rest. The last byte of each slice is the object's last, so a byte too
 * many is an alarm.
 *
 * Arguments are 9, 10 and 0 bytes long, in turn; WP covers any length (put, write_arg). Scripts for several
 * locks get two names; the text of a script is written like any other argument.
 */
#include "redlock/cli/servers/commands.h"
#include "redlock/easy/sentinel_commands.h"

#include "__fc_builtin.h"

enum { SIZE = 512, LENGTHS = 3, LETTERS = 18 };
static uint8_t memory[SIZE];
static uint8_t any[10];

static const char *const templates[] = {
#define TEMPLATE(name) rdl_wire_##name,
#include "tests/golden/templates.inc"
#undef TEMPLATE
};
enum { TEMPLATES = sizeof templates / sizeof templates[0] };

static struct rdl_slice put(const char *text, const struct rdl_args *args, uint8_t *to, size_t room,
                            size_t skip)
{
    struct rdl_slice w = {to, room, skip, 0};

    rdl_slice_write(&w, text, args);
    return w;
}

static void every_cut(const char *text, const struct rdl_args *args)
{
    struct rdl_slice w = put(text, args, NULL, 0, SIZE_MAX);
    size_t total = w.total;
    size_t cut;

    //@ assert fits: 0 < total <= SIZE && w.skip == SIZE_MAX - total;
    //@ loop unroll 3000;
    for (cut = 0; cut <= total; cut++) {
        Frama_C_make_unknown((char *)memory, SIZE);
        w = put(text, args, memory + (SIZE - cut), cut, 0);
        //@ assert first: w.total == total && w.room == 0 && w.skip == 0;
        w = put(text, args, memory + (SIZE - (total - cut)), total - cut, cut);
        //@ assert second: w.total == total && w.room == 0 && w.skip == 0;
    }
}

/* The arguments that it names, each of them once; but two names if the count says that there may be. */
static void with_arguments(const char *text)
{
    static const size_t lens[LENGTHS] = {9, 10, 0};
    char letters[LETTERS] = "";
    struct rdl_bytes arg[LETTERS];
    struct rdl_args args = {letters, arg, 0};
    size_t i;

    //@ loop unroll 100;
    for (i = 0; text[i] != '\0'; i++) {
        if ((text[i] != '$' && text[i] != '*') || text[i + 1] <= '9')
            continue;
        letters[args.n] = text[i + 1];
        arg[args.n].data = any;
        arg[args.n].len = lens[args.n % LENGTHS];
        args.n++;
        if (text[i + 1] != 'k' || text[1] != 'a')
            continue;
        letters[args.n] = 'k';
        arg[args.n].data = any;
        arg[args.n].len = 9;
        args.n++;
    }
    every_cut(text, &args);
}

int main(void)
{
    size_t i;

    Frama_C_make_unknown((char *)any, sizeof any);
    //@ loop unroll 100;
    for (i = 0; i < TEMPLATES; i++)
        with_arguments(templates[i]);
    return 0;
}
