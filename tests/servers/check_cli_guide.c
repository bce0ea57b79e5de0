/* SPDX-License-Identifier: MIT */
/*
 * The commands that redlock/doc/GUIDE.md shows (```sh) run unchanged on three servers. Only the hosts a to c,
 * the password file and the restart guard differ (servers of tests have just started). The text directly
 * after such a block (```text) is their output, except for numbers.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/fixtures/command.h"
#include "tests/fixtures/servers.h"
#include "tests/fixtures/shown.h"
#include "tests/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 3, BLOCKS = 15 };

static struct live_server server[N];
static struct command c;
static char dir[SHOWN_DIR];

static void setup(void)
{
    shown_open(server, N, "guide", dir);
}

static void teardown(void)
{
    shown_close(server, N, dir);
}

/* The k-th block of commands, or 0; prints is the output shown directly after it, or "". */
static int block(int k, char text[SHOWN_TEXT], char prints[SHOWN_TEXT])
{
    char line[1000];
    char *into = NULL; /* of the current block */
    int n = 0, follows = 0;
    FILE *guide = fopen("redlock/doc/GUIDE.md", "re");

    ck_assert_ptr_nonnull(guide);
    text[0] = prints[0] = '\0';
    while (fgets(line, sizeof line, guide) != NULL) {
        if (strcmp(line, "```sh\n") == 0) {
            into = n++ == k ? text : NULL;
        } else if (strcmp(line, "```text\n") == 0) {
            into = follows ? prints : NULL;
        } else if (strncmp(line, "```", 3) == 0) {
            follows = into == text;
            into = NULL;
        } else if (into != NULL) {
            shown_add(into, line, server, N);
        } else if (line[0] != '\n') {
            follows = 0;
        }
    }
    fclose(guide);
    return text[0] != '\0';
}

/* Digits, with dots between them, become one 0; a server becomes 0:0, in the guide and here. */
static void without_numbers(char *text)
{
    char *to = text;

    for (const char *p = text; *p != '\0';) {
        size_t digits = strspn(p, "0123456789");
        if (digits > 0) {
            while (p[digits] == '.' && p[digits + 1] >= '0' && p[digits + 1] <= '9')
                digits += 1 + strspn(p + digits + 1, "0123456789");
            *to++ = '0';
            p += digits;
        } else if (strncmp(p + 1, ":6379", 5) == 0) {
            *to++ = '0';
            p++;
        } else {
            *to++ = *p++;
        }
    }
    *to = '\0';
}

START_TEST(the_guides_examples_run_and_print_what_it_shows)
{
    char shown[SHOWN_TEXT], prints[SHOWN_TEXT], script[2 * SHOWN_TEXT];
    int held = 0;

    ck_assert(block(_i, shown, prints));
    size_t n = shown_begin(script, sizeof script, dir);
    snprintf(script + n, sizeof script - n, "%s%s",
             strstr(shown, "redlock doctor") != NULL ? "unset REDLOCK_RESTART_GUARD\n" : "", shown);
    command_set_script(&c, server, N, script);
    for (int i = 0; i < N && strstr(shown, "--password-file") != NULL; i++) {
        live_command(&server[i], "CONFIG SET requirepass pw");
        server[i].password = "pw";
    }
    ck_assert_msg(command_run(&c) == 0, "%d: %s\n%s", c.status, shown, c.err);
    ck_assert_msg(c.err[0] == '\0', "%s\n%s", shown, c.err);
    without_numbers(c.out);
    without_numbers(prints);
    if (prints[0] != '\0')
        ck_assert_str_eq(c.out, prints);
    for (int i = 0; i < N; i++)
        held += strcmp(live_command(&server[i], "EXISTS nightly"), ":1\r\n") == 0;
    ck_assert_int_eq(held, 0);
}
END_TEST

START_TEST(the_guide_has_no_more_examples)
{
    char shown[SHOWN_TEXT], prints[SHOWN_TEXT];

    ck_assert(!block(BLOCKS, shown, prints));
}
END_TEST

/*
 * The commands in the guide's jobs for GitLab, GitHub Actions and Ansible, and those of the unit that keeps
 * a token. The programs print their names, and the locks that are held.
 */
static const struct {
    const char *select; /* for sed: the commands */
    const char *prints;
} jobs[] = {
    {"s/^ *- \\(run: \\)\\{0,1\\}redlock run/redlock run/p; s/^ *ansible.builtin.command: //p",
     "deploy.sh\ndeploy:shop held\ndeploy.sh\ndeploy:shop held\nupdate-schema\nschema held\n"},
    {"/^Description=The receiver/,/^```/s/^Exec[A-Za-z]*=-\\{0,1\\}//p", "receiver\nreceiver held\n"},
};

START_TEST(the_guides_jobs_run_under_their_locks)
{
    char script[SHOWN_TEXT];

    size_t n = shown_begin(script, sizeof script, dir);
    snprintf(script + n, sizeof script - n,
             "trap - DEBUG; set -e; mkdir receiver; export REDLOCK_MAX_TTL=1h PATH=$PWD:$PATH\n"
             "for f in deploy.sh update-schema receiver/receiver; do"
             " printf '#!/bin/sh\necho ${0##*/}; redlock list | sed \"s/: held by .*/ held/\"\n' >$f;"
             " chmod +x $f; done; PATH=$PWD/receiver:$PATH\n"
             "sed -n '%s' $OLDPWD/redlock/doc/GUIDE.md | sed 's,/usr/local/bin/,,g; s,%%t,.,g' >jobs\n"
             ". ./jobs; redlock list",
             jobs[_i].select);
    command_set_script(&c, server, N, script);
    ck_assert_msg(command_run(&c) == 0, "%d: %s%s", c.status, c.out, c.err);
    ck_assert_str_eq(c.out, jobs[_i].prints);
}
END_TEST

/* Messages of the guide's tables that no other test checks. */
static const struct {
    const char *script, *message;
    int status;
} messages[] = {
    {"redlock run --bogus nightly true", "redlock: unknown option --bogus\nusage: redlock run ", 64},
    {"redlock run -u http://a nightly true",
     "redlock: -u number 1: a URL must start with redis:// or unix:// "
     "(example of a URL: redis://user:password@cache.example:6379)\n",
     65},
    {"redlock list -v zzz", "redlock: no lock begins with \"zzz\"\n", 0},
    {"redlock run -v nightly -- sh -c 'trap \"exit 0\" TERM; kill -TERM $PPID; sleep 9 & wait'",
     "redlock: signal 15 forwarded\n", 0},
    {"redlock run -v -w 4 -u redis://127.0.0.1:1 nightly true",
     "redlock: no lock yet: too few servers gave a useful reply; trying again\n", 69},
    {"u=${REDLOCK_URLS%% *}; REDLOCK_PASSWORD=x redlock run -u $u nightly true",
     " (do not give a password)\n", 77},
    {"exec 3>&-; ulimit -n 4; redlock run nightly true", "cannot create a pipe: Too many open files\n", 71},
};

START_TEST(the_guides_messages_are_printed)
{
    char script[SHOWN_TEXT];

    size_t n = shown_begin(script, sizeof script, dir);
    snprintf(script + n, sizeof script - n, "trap - DEBUG; %s", messages[_i].script);
    command_set_script(&c, server, N, script);
    ck_assert_msg(command_run(&c) == messages[_i].status, "%d: %s\n%s", c.status, messages[_i].script, c.err);
    ck_assert_msg(strstr(c.err, messages[_i].message) != NULL, "%s\n%s", messages[_i].script, c.err);
}
END_TEST

Suite *suite_cli_guide(void)
{
    Suite *suite = suite_create("cli_guide");
    TCase *tcase = suite_case(suite, "blocks", setup, teardown);

    tcase_add_loop_test(tcase, the_guides_examples_run_and_print_what_it_shows, 0, BLOCKS);
    tcase_add_test(tcase, the_guide_has_no_more_examples);
    tcase_add_loop_test(tcase, the_guides_jobs_run_under_their_locks, 0, COUNT(jobs));
    tcase_add_loop_test(tcase, the_guides_messages_are_printed, 0, COUNT(messages));
    return suite;
}
