/* SPDX-License-Identifier: MIT */
/* Recipes of redlock/examples/ whose steps follow each other. Real servers; the scripts are unchanged. */
#define _GNU_SOURCE
#include "tests/fixtures/recipe.h"
#include "tests/suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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

/* ---------------------------------------------------------------- cron_once.sh */

enum { TICKS = 3 };

/* Four hosts come at the same time; the last one comes when the job has ended everywhere. */
START_TEST(a_cron_job_on_five_hosts_runs_once_each_time)
{
    char four[300], last[100];

    for (size_t tick = 1; tick <= TICKS; tick++) {
        snprintf(
            four, sizeof four,
            "export CRON_TICK=%lu; all=; for host in 1 2 3 4; do cron_once.sh job sh -c 'echo ran >>ran' & "
            "all=\"$all $!\"; done; for pid in $all; do wait $pid || exit; done",
            (unsigned long)tick);
        snprintf(last, sizeof last, "CRON_TICK=%lu cron_once.sh job sh -c 'echo ran >>ran'",
                 (unsigned long)tick);
        ck_assert_msg(recipe_run(&r, &a, four) == 0, "%d: %s", a.status, a.err);
        ck_assert_int_eq(recipe_run(&r, &b, last), 0);
        ck_assert_str_eq(a.err, "");
        ck_assert_str_eq(b.err, "");
        ck_assert_uint_eq(recipe_lines(&r, "ran"), tick);
    }
}
END_TEST

/* A job that failed is due; one that succeeded is not. */
START_TEST(cron_once_exits_with_the_status_of_its_job)
{
    ck_assert_int_eq(recipe_run(&r, &a, "cron_once.sh job sh -c 'exit 3'"), 3);
    ck_assert_int_eq(recipe_run(&r, &a, "cron_once.sh job sh -c 'echo ran'"), 0);
    ck_assert_str_eq(a.out, "ran\n");
    ck_assert_int_eq(recipe_run(&r, &a, "cron_once.sh job sh -c 'exit 3'"), 0);
}
END_TEST

/* ---------------------------------------------------------------- fenced_row.sh */

static const char read_row[] = "sqlite3 shop.db \"SELECT text FROM report WHERE name = 'it''s'\"";

START_TEST(a_paused_holder_does_not_overwrite_a_later_holders_row)
{
    pid_t paused;

    recipe_start(&r, &a,
                 "mkfifo gate; exec fenced_row.sh shop.db \"it's\" "
                 "sh -c 'echo $$ >&9; read -r go <gate; echo old'");
    paused = (pid_t)strtol(command_note(&a), NULL, 10);
    recipe_signal_all(&a, SIGSTOP);
    recipe_expire(&r, "\"row:it's\"");
    ck_assert_msg(recipe_run(&r, &b, "fenced_row.sh shop.db \"it's\" printf \"new;'--\n%s\" line") == 0, "%s",
                  b.err);
    ck_assert_int_eq(recipe_run(&r, &b, read_row), 0);
    ck_assert_str_eq(b.out, "new;'--\nline\n");
    /* It wakes up: the command and its group before the processes that would stop it. */
    kill(-getpgid(paused), SIGCONT);
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    command_await_err(&a, "fenced_row.sh: it's: refused: a later holder has already written (our token: ");
    recipe_signal_all(&a, SIGCONT);
    command_end(&a);
    ck_assert(a.status == 80 || a.status == 75); /* 75: it knows that the lock is lost */
    ck_assert_int_eq(recipe_run(&r, &b, read_row), 0);
    ck_assert_str_eq(b.out, "new;'--\nline\n");
}
END_TEST

START_TEST(successive_holders_overwrite_the_row)
{
    ck_assert_int_eq(recipe_run(&r, &a, "fenced_row.sh shop.db \"it's\" echo one"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, "fenced_row.sh shop.db \"it's\" echo two"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, "fenced_row.sh shop.db \"it's\" sh -c 'echo three; exit 7'"), 7);
    ck_assert_int_eq(recipe_run(&r, &a, read_row), 0);
    ck_assert_str_eq(a.out, "two\n");
}
END_TEST

/* ---------------------------------------------------------------- pipeline_lock.sh */

#define FIRST  "export PIPELINE_LOCK=staging PIPELINE_TOKEN=first.token; pipeline_lock.sh "
#define SECOND "export PIPELINE_LOCK=staging PIPELINE_WAIT=0 PIPELINE_TOKEN=second.token; pipeline_lock.sh "

START_TEST(the_steps_of_a_pipeline_share_its_lock)
{
    ck_assert_msg(recipe_run(&r, &a, FIRST "begin") == 0, "%s", a.err);
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "begin"), 1);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "step echo built"), 0);
    ck_assert_str_eq(a.out, "built\n");
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "begin"), 1);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "end"), 0);
    ck_assert_int_eq(recipe_on(&r, "staging"), 0);
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "begin"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "step echo built"), 66);
    ck_assert_str_eq(a.out, "");
}
END_TEST

START_TEST(a_failed_step_releases_the_pipelines_lock)
{
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "begin"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "step sh -c 'exit 3'"), 3);
    ck_assert_int_eq(recipe_on(&r, "staging"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "step echo built"), 66);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "begin"), 0);
}
END_TEST

/* A waiting client gets it then; the unfinished pipeline runs nothing any more, and does no harm. */
START_TEST(the_lock_of_an_unfinished_pipeline_expires)
{
    ck_assert_int_eq(recipe_run(&r, &a, "export PIPELINE_TTL=6s; " FIRST "begin"), 0);
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "begin"), 1);
    ck_assert_int_eq(
        recipe_run(&r, &b,
                   "export PIPELINE_LOCK=staging PIPELINE_TOKEN=second.token; pipeline_lock.sh begin"),
        0);
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "step echo built"), 1);
    ck_assert_str_eq(a.out, "");
    ck_assert_int_eq(recipe_run(&r, &a, FIRST "end"), 1);
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "step echo deployed"), 0);
    ck_assert_str_eq(b.out, "deployed\n");
    ck_assert_int_eq(recipe_run(&r, &b, SECOND "end"), 0);
}
END_TEST

/* A step extends it to a whole ttl from its start. */
START_TEST(each_step_of_a_pipeline_extends_its_lease)
{
    ck_assert_int_eq(recipe_run(&r, &a, "export PIPELINE_TTL=30s; " FIRST "begin"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, "export PIPELINE_TTL=20m; " FIRST "step true"), 0);
    int longer = 0;
    for (int i = 0; i < RECIPE_SERVERS; i++)
        longer += strtol(live_command(&r.server[i], "PTTL staging") + 1, NULL, 10) > 60000;
    ck_assert_int_ge(longer, RECIPE_SERVERS / 2 + 1);
}
END_TEST

/* ---------------------------------------------------------------- deploy_guard.sh */

#define DEPLOYS "sh -c 'echo in >&9; read -r go <gate'"

static void start_to_deploy(void)
{
    recipe_start(&r, &a, "mkfifo gate; DEPLOY_WHO=anna exec deploy_guard.sh shop " DEPLOYS);
    ck_assert_str_eq(command_note(&a), "in");
}

START_TEST(a_second_deployment_learns_the_holders_name)
{
    start_to_deploy();
    ck_assert_int_eq(recipe_run(&r, &b, "deploy_guard.sh shop echo ran"), 80);
    ck_assert_str_eq(b.out, "");
    ck_assert_str_eq(b.err,
                     "deploy_guard.sh: shop: anna is deploying: sh -c echo in >&9; read -r go <gate\n");
    ck_assert_int_eq(recipe_run(&r, &b, "deploy_guard.sh other echo ran"), 0);
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    ck_assert_int_eq(command_end(&a), 0);
    ck_assert_int_eq(recipe_run(&r, &b, "deploy_guard.sh shop sh -c 'echo ran; exit 3'"), 3);
    ck_assert_str_eq(b.out, "ran\n");
    ck_assert_str_eq(b.err, "");
}
END_TEST

/* The note is that of an earlier deployment, or there is none: then the id is printed. */
START_TEST(only_the_lock_holder_is_named_as_deploying)
{
    start_to_deploy();
    live_command(&r.server[0],
                 _i == 0 ? "SET deploy:shop:by \"01234567 berta is deploying\"" : "DEL deploy:shop:by");
    ck_assert_int_eq(recipe_run(&r, &b, "deploy_guard.sh shop echo ran"), 80);
    ck_assert_ptr_nonnull(strstr(b.err, "deploy_guard.sh: deploy:shop: held by "));
    ck_assert_ptr_null(strstr(b.err, "berta"));
    ck_assert_int_eq(recipe_run(&r, &b, "echo go >gate"), 0);
    ck_assert_int_eq(command_end(&a), 0);
}
END_TEST

START_TEST(a_deployment_that_takes_too_long_is_stopped)
{
    recipe_run(&r, &a, "DEPLOY_MAX=11s deploy_guard.sh shop sleep 60");
    ck_assert_msg(a.status == 124, "%d: %s", a.status, a.err);
    ck_assert_int_eq(recipe_on(&r, "deploy:shop"), 0);
}
END_TEST

/* ---------------------------------------------------------------- job_metrics.sh */

#define LOGGED "redlock run --ttl=30s --attempt=5s --log json --log-fd 9 nightly -- "

/* No series: a job without a success, or a lock that was lost. */
START_TEST(a_jobs_log_becomes_its_metrics)
{
    static const char series[] = "redlock_job_last_success_timestamp_seconds{lock=\"nightly\"} ";
    long before = (long)time(NULL);

    ck_assert_int_eq(recipe_run(&r, &a, LOGGED "false 9>>log; job_metrics.sh <log"), 0);
    assert_lacks(a.out, series);
    assert_has(a.out, "\nredlock_job_last_duration_seconds{lock=\"nightly\"} ");
    assert_has(a.out, "\nredlock_job_last_wait_seconds{lock=\"nightly\"} ");
    ck_assert_int_eq(recipe_run(&r, &a,
                                LOGGED "true 9>>log; " LOGGED
                                       "false 9>>log; echo '{\"event\":' >>log; job_metrics.sh <log"),
                     0);
    ck_assert_str_eq(a.err, "");
    assert_has(a.out, series);
    ck_assert_int_ge(strtol(strstr(a.out, series) + strlen(series), NULL, 10), before);
    ck_assert_uint_eq(command_count(a.out, "\nredlock_job_"), 3);
    ck_assert_uint_eq(command_count(a.out, "# TYPE redlock_job_"), 3);
}
END_TEST

START_TEST(a_job_that_lost_its_lock_has_not_succeeded)
{
    ck_assert_int_eq(
        recipe_run(&r, &a,
                   "for url in $REDLOCK_URLS; do echo \"redis-cli -u $url SET nightly x >&2\" >>steal; done;"
                   " redlock run --attempt=5s --log json --log-fd 9 nightly -- sh steal 9>>log 2>/dev/null;"
                   " grep -c '\"event\":\"child_exit\".*\"status\":0' log; job_metrics.sh <log"),
        0);
    ck_assert_ptr_eq(strstr(a.out, "1\n"), a.out);
    assert_lacks(a.out, "\nredlock_job_last_success");
}
END_TEST

/* Names that JSON escapes in other ways than Prometheus. */
START_TEST(job_metrics_quote_the_name_of_a_lock)
{
    ck_assert_int_eq(recipe_run(&r, &a,
                                "redlock run --any-name --log json --log-fd 9 "
                                "$'\\001\\302\\205\"\\\\\\303\\274' true 9>>log; job_metrics.sh <log"),
                     0);
    ck_assert_uint_eq(command_count(a.out, "{lock=\"\xef\xbf\xbd\xef\xbf\xbd\\\"\\\\\xc3\xbc\"} "), 3);
}
END_TEST

/* ---------------------------------------------------------------- notify.sh */

#define NOTIFYING "export NOTIFY='echo \"$NOTIFY_SUBJECT\" >>reports; cat >>reports'; notify.sh nightly "

/* The job of the host that has the lock starts the script again, as another host would. */
START_TEST(a_job_reports_its_success_or_failure_once)
{
    static const char twice[] = NOTIFYING "sh -c 'notify.sh nightly echo no; unset REDLOCK_LOCK REDLOCK_ID; "
                                          "notify.sh nightly echo no; echo done'; cat reports";

    ck_assert_int_eq(recipe_run(&r, &a, twice), 0);
    ck_assert_msg(strstr(a.out, ": succeeded\ndone\n") != NULL && command_count(a.out, "\n") == 2, "%s",
                  a.out);
    ck_assert_int_eq(recipe_run(&r, &a, NOTIFYING "sh -c 'echo why; exit 3'; s=$?; cat reports; exit $s"), 3);
    assert_has(a.out, ": failed (status 3)\nwhy\n");
    ck_assert_int_eq(recipe_on(&r, "notify:nightly"), 0);
    ck_assert_int_eq(recipe_run(&r, &a, "NOTIFY=false notify.sh nightly true"), 0);
    assert_has(a.err, "notify.sh: the report was not sent: nightly succeeded\n");
}
END_TEST

/* What has to be checked or repaired by people. */
START_TEST(a_report_names_a_lost_lock_and_servers_that_do_not_answer)
{
    ck_assert_int_eq(
        recipe_run(&r, &a,
                   "for url in $REDLOCK_URLS; do echo \"redis-cli -u $url SET notify:nightly x\" "
                   ">>steal; done; " NOTIFYING "sh steal; s=$?; cat reports; exit $s"),
        75);
    assert_has(a.out, ": lost its lock: check its result (status 75)\n");
    ck_assert_int_eq(recipe_run(&r, &a,
                                "export REDLOCK_URLS=redis://127.0.0.1:1; " NOTIFYING
                                "touch ran; s=$?; cat reports; ls ran; exit $s"),
                     69);
    assert_has(a.out, ": did not run: no majority of the lock's servers (status 69)\n");
    ck_assert_ptr_eq(strstr(a.out, "ran\n"), NULL);
}
END_TEST

/* ---------------------------------------------------------------- all of them */

START_TEST(recipes_print_their_usage_without_arguments)
{
    static const char *const recipes[] = {"cron_once.sh",
                                          "deploy_guard.sh",
                                          "fenced_row.sh",
                                          "notify.sh",
                                          "leader.sh",
                                          "cached.sh",
                                          "PIPELINE_LOCK=a PIPELINE_TOKEN=b pipeline_lock.sh"};
    static const size_t n = sizeof recipes / sizeof recipes[0];

    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(recipe_run(&r, &a, recipes[i]), 64);
        ck_assert_ptr_nonnull(strstr(a.err, "usage: "));
    }
}
END_TEST

Suite *suite_recipes(void)
{
    Suite *suite = suite_create("recipes");
    TCase *tc = suite_case(suite, "three servers", setup, teardown);

    tcase_add_test(tc, a_cron_job_on_five_hosts_runs_once_each_time);
    tcase_add_test(tc, cron_once_exits_with_the_status_of_its_job);
    tcase_add_test(tc, a_paused_holder_does_not_overwrite_a_later_holders_row);
    tcase_add_test(tc, successive_holders_overwrite_the_row);
    tcase_add_test(tc, the_steps_of_a_pipeline_share_its_lock);
    tcase_add_test(tc, a_failed_step_releases_the_pipelines_lock);
    tcase_add_test(tc, the_lock_of_an_unfinished_pipeline_expires);
    tcase_add_test(tc, each_step_of_a_pipeline_extends_its_lease);
    tcase_add_test(tc, a_second_deployment_learns_the_holders_name);
    tcase_add_loop_test(tc, only_the_lock_holder_is_named_as_deploying, 0, 2);
    tcase_add_test(tc, a_deployment_that_takes_too_long_is_stopped);
    tcase_add_test(tc, a_jobs_log_becomes_its_metrics);
    tcase_add_test(tc, a_job_that_lost_its_lock_has_not_succeeded);
    tcase_add_test(tc, job_metrics_quote_the_name_of_a_lock);
    tcase_add_test(tc, a_job_reports_its_success_or_failure_once);
    tcase_add_test(tc, a_report_names_a_lost_lock_and_servers_that_do_not_answer);
    tcase_add_test(tc, recipes_print_their_usage_without_arguments);
    return suite;
}
