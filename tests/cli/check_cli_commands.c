/* SPDX-License-Identifier: MIT */
/* check_cli_commands.c - the templates: their parts, and that they give the bytes of wire.txt. */
#include "redlock/cli/servers/commands.h"
#include "redlock/easy/sentinel_commands.h"
#include "tests/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN   "0123456789abcdef0123456789abcdef01234567"
#define UNTIL_S "1700000030.123456789"

/* ---------------------------------------------------------------- the lines of wire.txt */

/* A line, its template, and the arguments that differ from the common ones: "b=...|h=...". */
static const struct golden {
    const char *name;
    const char *text;
    const struct rdl_script *script;
    int is_known;
    const char *own;
} golden[] = {
    {"auth", rdl_wire_auth, NULL, 0, ""},
    {"auth-user", rdl_wire_auth_user, NULL, 0, ""},
    {"select", rdl_wire_select, NULL, 0, ""},
    {"client-setname", rdl_wire_client_setname, NULL, 0, ""},
    {"set-nx-px", rdl_wire_set_nx_px, NULL, 0, ""},
    {"pttl", rdl_wire_pttl, NULL, 0, ""},
    {"delex", rdl_wire_delex, NULL, 0, ""},
    {"delifeq", rdl_wire_delifeq, NULL, 0, ""},
    {"watch", rdl_wire_watch, NULL, 0, ""},
    {"get", rdl_wire_get, NULL, 0, ""},
    {"multi", rdl_wire_multi, NULL, 0, ""},
    {"del", rdl_wire_del, NULL, 0, ""},
    {"pexpire", rdl_wire_pexpire, NULL, 0, ""},
    {"set", rdl_wire_set, NULL, 0, "v=" UNTIL_S},
    {"exec", rdl_wire_exec, NULL, 0, ""},
    {"discard", rdl_wire_discard, NULL, 0, ""},
    {"time", rdl_wire_time, NULL, 0, ""},
    {"setnx", rdl_wire_setnx, NULL, 0, "v=" UNTIL_S},
    {"getset", rdl_wire_getset, NULL, 0, "v=" UNTIL_S},
    {"mget", rdl_wire_mget, NULL, 0, "k={lock:a}#0|k={lock:a}#1|a=3"},
    {"sentinel-address", rdl_wire_sentinel_address, NULL, 0, "k=mymaster"},
    {"sentinel-master", rdl_wire_sentinel_master, NULL, 0, "k=mymaster"},
    {"blpop", rdl_wire_blpop, NULL, 0, "b={lock:a}:wake"},
    {"blpop-whole", rdl_wire_blpop, NULL, 0, "b={lock:a}:wake|t=1"},
    {"evalsha-release", rdl_wire_call_release, &rdl_script_release, 1, ""},
    {"evalsha-extend", rdl_wire_call_extend, &rdl_script_extend, 1, ""},
    {"ask-server", rdl_wire_info_server, NULL, 0, ""},
    {"ask-replication", rdl_wire_info_replication, NULL, 0, ""},
    {"ask-memory", rdl_wire_info_memory, NULL, 0, ""},
    {"ask-persistence", rdl_wire_info_persistence, NULL, 0, ""},
    {"config-get", rdl_wire_config_get, NULL, 0, "p=appendfsync"},
    {"scan", rdl_wire_scan, NULL, 0, "g=17179869184|p=lock:\\[a\\]*"},
    {"getrange", rdl_wire_getrange, NULL, 0, ""},
    {"strlen", rdl_wire_strlen, NULL, 0, ""},
    {"type", rdl_wire_type, NULL, 0, ""},
    {"eval-release", rdl_wire_call_release, &rdl_script_release, 0, ""},
    {"eval-extend", rdl_wire_call_extend, &rdl_script_extend, 0, ""},
    {"eval-replace", rdl_wire_call_replace, &rdl_script_replace, 0, "v=1700000060.123456789"},
    {"eval-acquire", rdl_wire_call_fenced, &rdl_script_acquire, 0, "f=1700000000000"},
    {"eval-extend-fenced", rdl_wire_call_fenced, &rdl_script_extend_fenced, 0, "f=1700000000007"},
    {"eval-release-hint", rdl_wire_call_release_hint, &rdl_script_release_hint, 0, "b={lock:a}:wake|h=1000"},
    {"eval-canary", rdl_wire_call_release, &rdl_script_canary, 0, "k=rdl:canary|v=00c0ffee12345678 "},
    {"eval-acquire-multi", rdl_wire_call_multi, &rdl_script_acquire_multi, 0, "k=lock:a|k=lock:b|y=2|a=7"},
    {"eval-extend-multi", rdl_wire_call_multi, &rdl_script_extend_multi, 0, "k=lock:a|k=lock:b|y=2|a=7"},
    {"eval-release-multi", rdl_wire_call_release_multi, &rdl_script_release_multi, 0,
     "k=lock:a|k=lock:b|y=2|a=6"},
    {"watch-all", rdl_wire_watch_all, NULL, 0, "k=lock:a|k=lock:b|a=3"},
    {"msetex", rdl_wire_msetex, NULL, 0, "k=lock:a|k=" TOKEN "|k=lock:b|k=" TOKEN "|y=2|x=NX|a=9"},
    {"msetex-extend", rdl_wire_msetex, NULL, 0, "k=lock:a|k=" TOKEN "|k=lock:b|k=" TOKEN "|y=2|x=XX|a=9"},
};
enum { GOLDEN = sizeof golden / sizeof golden[0], ARGS_MAX = 32, WIRE_MAX = 1024 };

static struct args {
    char letters[ARGS_MAX];
    struct rdl_bytes arg[ARGS_MAX];
    size_t n;
} filled;

static void add(char letter, const void *data, size_t len)
{
    ck_assert_uint_lt(filled.n, ARGS_MAX);
    filled.letters[filled.n] = letter;
    filled.arg[filled.n].data = data;
    filled.arg[filled.n].len = len;
    filled.n++;
}

static int has(char letter)
{
    return memchr(filled.letters, letter, filled.n) != NULL;
}

/* Adds arguments like "k=lock:a|v=..."; common ones (for_all) only if their letter is not there yet. */
static void add_texts(const char *text, int for_all)
{
    size_t before = filled.n;

    while (*text != '\0') {
        size_t len = strcspn(text, "|");

        if (!for_all || memchr(filled.letters, *text, before) == NULL) {
            if (*text == 'a')
                add('a', NULL, (size_t)(text[2] - '0'));
            else
                add(*text, text + 2, len - 2);
        }
        text += len + (text[len] == '|');
    }
}

static struct rdl_args args_of(const struct golden *g)
{
    struct rdl_args args;

    filled.n = 0;
    add_texts(g->own, 0);
    add_texts("k=lock:a|v=" TOKEN
              "|m=30000|x=1700000030|u=alice|P=secret|d=3|n=worker-7|b={lock:a}:fence|h=0|"
              "t=0.250",
              1);
    if (g->script != NULL) {
        struct rdl_bytes c, s;

        rdl_script_call(g->script, g->is_known, &c, &s);
        add('c', c.data, c.len);
        add('s', s.data, s.len);
    }
    args.letters = filled.letters;
    args.arg = filled.arg;
    args.n = filled.n;
    return args;
}

/* Writes the bytes of a line of wire.txt to `out`, unescaped; returns how many. */
static size_t wire_of(const char *name, uint8_t out[WIRE_MAX])
{
    FILE *f = fopen("tests/golden/wire.txt", "re");
    char line[WIRE_MAX];
    size_t n = 0;
    size_t len = strlen(name);
    const char *p;

    ck_assert_ptr_nonnull(f);
    do
        ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    while (strncmp(line, name, len) != 0 || line[len] != '\t');
    fclose(f);
    for (p = line + len + 1; *p != '\n'; p++) {
        if (*p != '\\') {
            out[n++] = (uint8_t)*p;
            continue;
        }
        p++;
        if (*p == 'x') { /* in this table it is always a backslash */
            ck_assert(strncmp(p, "x5c", 3) == 0);
            out[n++] = '\\';
            p += 2;
            continue;
        }
        ck_assert(*p == 'r' || *p == 'n');
        out[n++] = *p == 'r' ? '\r' : '\n';
    }
    return n;
}

/* In two slices: the first of any size, the second after it. */
START_TEST(template_gives_its_line_of_wire_txt_in_any_pieces)
{
    const struct rdl_args args = args_of(&golden[_i]);
    static uint8_t wire[WIRE_MAX];
    size_t len = wire_of(golden[_i].name, wire);
    size_t cut;

    for (cut = 0; cut <= len; cut++) {
        static uint8_t got[WIRE_MAX];
        struct rdl_slice first = {got, cut, 0, 0};
        struct rdl_slice second = {got + cut, WIRE_MAX - cut, cut, 0};

        memset(got, 0x55, sizeof got);
        rdl_slice_write(&first, golden[_i].text, &args);
        ck_assert_uint_eq(first.total, len);
        ck_assert_uint_eq(first.room, 0);
        ck_assert_int_eq(got[cut], 0x55);
        rdl_slice_write(&second, golden[_i].text, &args);
        ck_assert_uint_eq(second.total, len);
        ck_assert_ptr_eq(second.to, got + len);
        ck_assert_mem_eq(got, wire, len);
    }
}
END_TEST

START_TEST(keys_and_values_may_hold_any_byte)
{
    static const char wire[] =
        "*6\r\n$3\r\nSET\r\n$4\r\na\0\r\n\r\n$3\r\n\xff\\\n\r\n$2\r\nNX\r\n$2\r\nPX\r\n"
        "$10\r\n4294967295\r\n";
    static const struct rdl_bytes arg[] = {{"a\0\r\n", 4}, {"\xff\\\n", 3}, {"4294967295", 10}};
    static const struct rdl_args args = {"kvm", arg, 3};
    uint8_t got[sizeof wire];
    struct rdl_slice w = {got, sizeof got, 0, 0};

    rdl_slice_write(&w, rdl_wire_set_nx_px, &args);
    ck_assert_uint_eq(w.total, sizeof wire - 1);
    ck_assert_mem_eq(got, wire, sizeof wire - 1);
}
END_TEST

/* ---------------------------------------------------------------- all of them */

static const struct {
    const char *name;
    const char *text;
} templates[] = {
#define TEMPLATE(name) {#name, rdl_wire_##name},
#include "tests/golden/templates.inc"
#undef TEMPLATE
};
enum { TEMPLATES = sizeof templates / sizeof templates[0] };

/* Counts the bulks, placeholders and literal ones, and checks the lengths of the literal ones. */
static size_t bulks(const char *text, const char *name)
{
    static const char letters[] = "kvxmbcsyafhtuPdngp"; /* as in the headers of the templates */
    size_t n = 0;

    for (; *text != '\0'; n++) {
        ck_assert_msg(*text == '$', "%s: no bulk: %s", name, text);
        if (!isdigit((unsigned char)text[1])) {
            ck_assert_msg(strchr(letters, text[1]) != NULL, "%s: no such letter: %c", name, text[1]);
            text += 2;
        } else {
            char *end;
            size_t len = strtoul(text + 1, &end, 10);

            ck_assert_msg(strncmp(end, "\r\n", 2) == 0 && strncmp(end + 2 + len, "\r\n", 2) == 0,
                          "%s: not that long: %s", name, text);
            ck_assert_msg(end[2] > '*', "%s: would be taken for a hole: %s", name, end + 2);
            text = end + 4 + len;
        }
    }
    return n;
}

START_TEST(template_is_one_command_with_known_placeholders)
{
    const char *name = templates[_i].name;
    const char *text = templates[_i].text;
    char *end;
    size_t count;

    ck_assert_int_eq(text[0], '*');
    if (text[1] == 'a') { /* several names: the caller counts */
        bulks(text + 2, name);
        return;
    }
    count = strtoul(text + 1, &end, 10);
    ck_assert(strncmp(end, "\r\n", 2) == 0);
    ck_assert_uint_eq(bulks(end + 2, name), count);
}
END_TEST

START_TEST(only_a_password_is_a_secret)
{
    const char *text = templates[_i].text;
    int is_secret = 0; /* a capital letter; the handshake knows AUTH as the one command with a secret */

    for (const char *at = strchr(text, '$'); at != NULL; at = strchr(at + 1, '$'))
        is_secret |= at[1] >= 'A' && at[1] <= 'Z';
    ck_assert_int_eq(is_secret, strstr(text, "AUTH") != NULL);
}
END_TEST

START_TEST(every_template_is_in_wire_txt)
{
    size_t i;

    for (i = 0; i < GOLDEN && golden[i].text != templates[_i].text; i++) {
    }
    ck_assert_uint_lt(i, GOLDEN);
}
END_TEST

/* ---------------------------------------------------------------- scripts */

/* Returns the greatest n of NAME[n] in the text. */
static size_t greatest(const char *text, const char *name)
{
    size_t most = 0;

    while ((text = strstr(text, name)) != NULL) {
        size_t n = strtoul(text + strlen(name), NULL, 10);

        most = n > most ? n : most;
        text++;
    }
    return most;
}

/* A call has as many arguments as its script uses KEYS and ARGV, and each of its letters has an argument. */
START_TEST(call_passes_the_keys_and_arguments_of_its_script)
{
    const struct golden *g = &golden[_i];
    const char *text = g->text;
    size_t keys;
    size_t placeholders = 0;

    args_of(g);
    if (g->script == NULL)
        return;
    if (text[1] == 'a') { /* any number of keys */
        ck_assert_ptr_nonnull(strstr(g->script->text, "#KEYS"));
        ck_assert(strncmp(text, "*a$c$s$y$k", 10) == 0);
        text += 8;
        keys = 1;
    } else {
        ck_assert_ptr_null(strstr(g->script->text, "#KEYS"));
        text = strstr(text, "$1\r\n");
        ck_assert_ptr_nonnull(text);
        keys = (size_t)(text[4] - '0');
        ck_assert_uint_eq(greatest(g->script->text, "KEYS["), keys);
        text += 7;
    }
    for (; *text != '\0'; text += 2, placeholders++) {
        ck_assert_int_eq(text[0], '$');
        ck_assert(has(text[1]));
        ck_assert_int_eq(placeholders < keys, text[1] == 'k' || text[1] == 'b');
    }
    ck_assert_uint_eq(placeholders, keys + greatest(g->script->text, "ARGV["));
}
END_TEST

Suite *suite_cli_commands(void)
{
    Suite *s = suite_create("cli_commands");
    TCase *t = suite_case(s, "cli_commands", NULL, NULL);

    tcase_add_loop_test(t, template_gives_its_line_of_wire_txt_in_any_pieces, 0, GOLDEN);
    tcase_add_test(t, keys_and_values_may_hold_any_byte);
    tcase_add_loop_test(t, template_is_one_command_with_known_placeholders, 0, TEMPLATES);
    tcase_add_loop_test(t, only_a_password_is_a_secret, 0, TEMPLATES);
    tcase_add_loop_test(t, every_template_is_in_wire_txt, 0, TEMPLATES);
    tcase_add_loop_test(t, call_passes_the_keys_and_arguments_of_its_script, 0, GOLDEN);
    return s;
}
