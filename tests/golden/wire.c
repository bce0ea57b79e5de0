/* SPDX-License-Identifier: MIT */
/*
 * wire.c - prints one line for every command: its name, and the bytes it puts on the wire for the
 * arguments lock:a, the token of forty digits, 30000 ms. `make wire` writes them to wire.txt.
 */
#include "resp/resp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t buf[1024];
static struct rdl_writer w;

static struct rdl_bytes bytes(const char *s)
{
    struct rdl_bytes b = {s, strlen(s)};

    return b;
}

static void show(const uint8_t *data, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (data[i] == '\r')
            fputs("\\r", stdout);
        else if (data[i] == '\n')
            fputs("\\n", stdout);
        else if (data[i] < 0x20 || data[i] > 0x7e || data[i] == '\\')
            printf("\\x%02x", data[i]);
        else
            putchar(data[i]);
    }
}

static void line(const char *name, int result)
{
    if (result != RDL_OK)
        exit(1);
    printf("%s\t", name);
    show(buf, w.len);
    putchar('\n');
    rdl_writer_init(&w, buf, sizeof buf);
}

static void eval(const char *name, const struct rdl_script *s, const struct rdl_bytes *argv)
{
    int result = rdl_cmd_eval_head(&w, s);

    memcpy(buf + w.len, s->text, s->text_len);
    w.len += s->text_len;
    line(name, result != RDL_OK ? result : rdl_cmd_eval_tail(&w, s, argv));
}

/* Two locks as one. */
static void several(struct rdl_bytes key, struct rdl_bytes token)
{
    static const char *const names[] = {"eval-acquire-multi", "eval-extend-multi", "eval-release-multi"};
    const struct rdl_bytes argv[] = {key, bytes("lock:b"), token, bytes("30000")};
    struct rdl_script scripts[] = {rdl_script_acquire_multi, rdl_script_extend_multi,
                                   rdl_script_release_multi};
    size_t i;

    for (i = 0; i < 3; i++) {
        scripts[i].keys = 2;
        eval(names[i], &scripts[i], argv);
    }
}

int main(void)
{
    const struct rdl_bytes key = bytes("lock:a");
    const struct rdl_bytes token = bytes("0123456789abcdef0123456789abcdef01234567");
    const struct rdl_bytes argv[] = {key, token, bytes("30000")};
    const struct rdl_bytes replace[] = {key, bytes("1700000030"), bytes("1700000060.123456789")};
    const struct rdl_bytes fenced[] = {
        key, bytes("{lock:a}:fence"), token, bytes("30000"), bytes("1700000000000"), bytes("0")};
    const struct rdl_bytes wake[] = {key, bytes("{lock:a}:wake"), token, bytes("1000")};
    const struct rdl_bytes hold[] = {
        key, bytes("{lock:a}:fence"), token, bytes("30000"), bytes("1700000000007"), bytes("0")};
    const struct rdl_bytes canary[] = {bytes("rdl:canary"), bytes("00c0ffee12345678 ")};
    const struct rdl_bytes any_key = {"a\0\r\n", 4};
    const struct rdl_bytes any_token = {"\xff\\\n", 3};

    rdl_writer_init(&w, buf, sizeof buf);
    line("auth", rdl_cmd_auth(&w, bytes(""), bytes("secret")));
    line("auth-user", rdl_cmd_auth(&w, bytes("alice"), bytes("secret")));
    line("select", rdl_cmd_select(&w, 3));
    line("client-setname", rdl_cmd_client_setname(&w, bytes("worker-7")));
    line("set-nx-px", rdl_cmd_set_nx_px(&w, key, token, 30000));
    line("set-nx-px-any", rdl_cmd_set_nx_px(&w, any_key, any_token, 4294967295u));
    line("pttl", rdl_cmd_pttl(&w, key));
    line("delex", rdl_cmd_delex(&w, key, token));
    line("delifeq", rdl_cmd_delifeq(&w, key, token));
    line("watch", rdl_cmd_watch(&w, key));
    line("get", rdl_cmd_get(&w, key));
    line("multi", rdl_cmd_multi(&w));
    line("del", rdl_cmd_del(&w, key));
    line("pexpire", rdl_cmd_pexpire(&w, key, 30000));
    line("set", rdl_cmd_set(&w, key, bytes("1700000030.123456789")));
    line("exec", rdl_cmd_exec(&w));
    line("discard", rdl_cmd_discard(&w));
    line("time", rdl_cmd_time(&w));
    line("setnx", rdl_cmd_setnx(&w, key, bytes("1700000030.123456789")));
    line("getset", rdl_cmd_getset(&w, key, bytes("1700000030.123456789")));
    line("blpop", rdl_cmd_blpop(&w, wake[1], 250, 0));
    line("blpop-whole", rdl_cmd_blpop(&w, wake[1], 250, 1));
    line("evalsha-release", rdl_cmd_evalsha(&w, &rdl_script_release, argv));
    line("evalsha-extend", rdl_cmd_evalsha(&w, &rdl_script_extend, argv));
    line("ask-server", rdl_cmd_ask(&w, RDL_ASK_SERVER));
    line("ask-replication", rdl_cmd_ask(&w, RDL_ASK_REPLICATION));
    line("ask-memory", rdl_cmd_ask(&w, RDL_ASK_MEMORY));
    eval("eval-release", &rdl_script_release, argv);
    eval("eval-extend", &rdl_script_extend, argv);
    eval("eval-replace", &rdl_script_replace, replace);
    eval("eval-acquire", &rdl_script_acquire, fenced);
    eval("eval-extend-fenced", &rdl_script_extend_fenced, hold);
    eval("eval-release-wake", &rdl_script_release_wake, wake);
    eval("eval-canary", &rdl_script_canary, canary);
    several(key, token);
    return 0;
}
