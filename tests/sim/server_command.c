/* SPDX-License-Identifier: MIT */
/* The model server's connections: the table of commands, what is refused and why. */
#include "tests/sim/server.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void cmd_ping(struct sim_call *c)
{
    if (c->argc > 1)
        sim_out_bulk(c->out, c->argv[1].data, c->argv[1].len);
    else
        sim_out_text(c->out, "+PONG\r\n");
}

static void cmd_time(struct sim_call *c)
{
    uint8_t digits[24];
    const uint64_t parts[] = {c->now_ms / 1000, c->now_ms % 1000 * 1000};
    sim_out_text(c->out, "*2\r\n");
    for (int i = 0; i < 2; i++) {
        struct sim_out o = {digits, sizeof digits, 0};
        sim_out_digits(&o, parts[i]);
        sim_out_bulk(c->out, digits, o.len);
    }
}

/* ---------------------------------------------------------------- the connection's commands */

static void cmd_auth(struct sim_call *c)
{
    const char *password = c->server->features->password;
    struct sim_arg given = c->argv[c->argc - 1];
    int user_ok = c->argc == 2 || sim_arg_is(c->argv[1], "default");
    if (!password && c->argc == 2) {
        sim_out_error(c->out, "ERR AUTH <password> called without any password configured for the default "
                              "user. Are you sure your configuration is correct?");
    } else if (c->argc > 3) {
        sim_out_error(c->out, "ERR syntax error");
    } else if (!user_ok || (password && (given.len != strlen(password) ||
                                         memcmp(given.data, password, given.len) != 0))) {
        sim_out_error(c->out, "WRONGPASS invalid username-password pair%s",
                      c->server->features->texts == SIM_REDIS6 ? "" : " or user is disabled.");
    } else {
        c->session->is_authed = 1;
        sim_out_text(c->out, "+OK\r\n");
    }
}

static void cmd_select(struct sim_call *c)
{
    int64_t db;
    if (!sim_arg_int(c->argv[1], &db)) {
        sim_out_error(c->out, c->server->features->texts == SIM_REDIS6
                                  ? "ERR invalid DB index"
                                  : "ERR value is not an integer or out of range");
    } else if (db < 0 || db > 15) {
        sim_out_error(c->out, "ERR DB index is out of range");
    } else {
        c->session->db = (uint8_t)db;
        sim_out_text(c->out, "+OK\r\n");
    }
}

static void cmd_client(struct sim_call *c)
{
    if (sim_arg_is(c->argv[1], "SETNAME") && c->argc == 3) {
        struct sim_arg name = c->argv[2];
        for (size_t i = 0; i < name.len; i++)
            if (name.data[i] < '!' || name.data[i] > '~') {
                sim_out_error(c->out, "ERR Client names cannot contain spaces, newlines or special "
                                      "characters.");
                return;
            }
        c->session->name_len = (uint8_t)(name.len < sizeof c->session->name ? name.len : 32);
        memcpy(c->session->name, name.data, c->session->name_len);
        sim_out_text(c->out, "+OK\r\n");
    } else if (sim_arg_is(c->argv[1], "GETNAME")) {
        sim_out_bulk(c->out, c->session->name_len ? c->session->name : NULL, c->session->name_len);
    } else {
        sim_out_error(c->out, "ERR unknown subcommand '%.*s'. Try CLIENT HELP.", (int)c->argv[1].len,
                      (const char *)c->argv[1].data);
    }
}

static void cmd_quit(struct sim_call *c)
{
    c->session->closing = 1;
    sim_out_text(c->out, "+OK\r\n");
}

static const struct sim_entry connection_commands[] = {
    {"ping", -1, 0, cmd_ping},
    {"auth", -2, SIM_ANY_TIME | SIM_NO_AUTH, cmd_auth},
    {"select", 2, SIM_ANY_TIME, cmd_select},
    {"client", -2, SIM_ANY_TIME, cmd_client},
    {"info", -1, SIM_ANY_TIME, sim_info},
    {"time", 1, SIM_ANY_TIME, cmd_time},
    {"quit", -1, SIM_ANY_TIME | SIM_NO_AUTH | SIM_NOT_QUEUED, cmd_quit},
    {NULL, 0, 0, NULL},
};

static int is_known(const struct sim_features *f, const struct sim_entry *e)
{
    return !((e->flags & SIM_SCRIPTING) && f->no_scripts) && !((e->flags & SIM_DELEX) && !f->has_delex) &&
           !((e->flags & SIM_DELIFEQ) && !f->has_delifeq) && !((e->flags & SIM_MSETEX) && !f->has_msetex) &&
           !(f->no_pttl && strcmp(e->name, "pttl") == 0);
}

enum { OF_A_LETTER = 12, WORD_MAX = 8 };

/* A word as one number, whatever its case: letters alone have these bits. 0: none, or too long. */
static uint64_t number_of(const void *word, size_t len)
{
    uint64_t n = 0;
    if (len == 0 || len > WORD_MAX)
        return 0;
    memcpy(&n, word, len);
    return n | 0x2020202020202020u;
}

struct command {
    uint64_t word;
    size_t len;
    const struct sim_entry *entry;
};

/* The commands that begin with this letter (its last five bits), followed by one without an entry. */
static const struct command *of_letter(uint8_t letter)
{
    static struct command commands[32][OF_A_LETTER + 1];
    static const struct sim_entry *const tables[] = {sim_key_commands,    sim_delete_commands,
                                                     sim_script_commands, connection_commands,
                                                     sim_multi_commands,  sim_list_commands};
    static int is_filled;
    for (size_t t = 0; !is_filled && t < sizeof tables / sizeof tables[0]; t++)
        for (const struct sim_entry *e = tables[t]; e->name; e++) {
            struct command *list = commands[e->name[0] & 31];
            size_t n = 0, len = strlen(e->name);
            while (n < OF_A_LETTER && list[n].entry)
                n++;
            assert(n < OF_A_LETTER && len <= WORD_MAX);
            list[n] = (struct command){number_of(e->name, len), len, e};
        }
    is_filled = 1;
    return commands[letter & 31];
}

static const struct sim_entry *look_up(const struct sim_server *s, struct sim_arg name)
{
    uint64_t word = number_of(name.data, name.len);
    for (const struct command *c = of_letter(name.len > 0 ? name.data[0] : 0); c->entry; c++)
        if (c->word == word && c->len == name.len)
            return is_known(s->features, c->entry) ? c->entry : NULL;
    return NULL;
}

static void unknown(struct sim_call *c)
{
    enum sim_texts texts = c->server->features->texts;
    const char *quote = texts == SIM_REDIS6 ? "`" : "'";
    uint8_t args[160];
    struct sim_out o = {args, sizeof args - 1, 0};
    for (int i = 1; i < c->argc && o.len < 128; i++) {
        struct sim_arg a = c->argv[i];
        size_t n = a.len < 128 - o.len ? a.len : 128 - o.len;
        const uint8_t *nul = memchr(a.data, '\0', n);
        sim_out_text(&o, quote);
        sim_out_raw(&o, a.data, nul ? (size_t)(nul - a.data) : n);
        sim_out_text(&o, quote);
        sim_out_text(&o, texts == SIM_REDIS6 ? ", " : " ");
    }
    args[o.len] = '\0';
    if (c->script)
        sim_out_error(c->out, "ERR Unknown Redis command called from script");
    else
        sim_out_error(
            c->out, "ERR unknown command %s%.*s%s%s%s", quote,
            (int)(c->argv[0].len < 128 ? c->argv[0].len : 128), (const char *)c->argv[0].data, quote,
            texts == SIM_REDIS84 && o.len == 0 ? "" : ", with args beginning with: ", (const char *)args);
}

static const char *const misconf =
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. "
    "Commands "
    "that may modify the data set are disabled, because this instance is configured to report errors during "
    "writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for "
    "details about the RDB error.";

static int is_denied(const struct sim_server *s, const struct sim_entry *e)
{
    char word[24];
    snprintf(word, sizeof word, " %s ", e->name);
    return strstr(s->features->denied, word) != NULL;
}

static void deny(struct sim_call *c, const struct sim_entry *e)
{
    if (c->script)
        sim_out_error(c->out, "ERR The user executing the script can't run this command or subcommand");
    else
        sim_out_error(c->out, "NOPERM this user has no permissions to run the '%s' command", e->name);
}

static int may_use(const struct sim_server *s, struct sim_arg key)
{
    return key.len == strlen(s->features->only_key) && memcmp(key.data, s->features->only_key, key.len) == 0;
}

/* A script's keys are checked before it runs, or by each of its calls. */
static int is_key_denied(const struct sim_call *c, const struct sim_entry *e)
{
    int64_t keys = (e->flags & SIM_KEYED) != 0;
    int first = keys ? 1 : 3;
    if (c->server->features->key_by_call && !(e->flags & SIM_WRITES))
        return 0;
    if ((e->flags & SIM_SCRIPTING) && !sim_arg_int(c->argv[2], &keys))
        return 0;
    for (int i = first; i < first + keys && i < c->argc; i++)
        if (!may_use(c->server, c->argv[i]))
            return 1;
    return 0;
}

static void deny_key(struct sim_call *c)
{
    enum sim_texts texts = c->server->features->texts;
    if (c->script)
        sim_out_error(c->out, "ERR The user executing the script can't access at least one of the keys "
                              "mentioned in the command arguments");
    else if (texts == SIM_REDIS6 || texts == SIM_REDIS7)
        sim_out_error(c->out, "NOPERM this user has no permissions to access one of the keys used as "
                              "arguments");
    else
        sim_out_error(c->out, "NOPERM No permissions to access a key");
}

/* The reason why the command is not run, in the order of the server's checks; NULL: it runs. */
static const char *refusal(const struct sim_call *c, const struct sim_entry *e)
{
    const struct sim_server *s = c->server;
    if (s->features->password && !c->session->is_authed && !(e->flags & SIM_NO_AUTH))
        return "NOAUTH Authentication required.";
    if (s->oom && (e->flags & SIM_NEEDS_MEMORY))
        return "OOM command not allowed when used memory > 'maxmemory'.";
    if (s->misconf && ((e->flags & SIM_WRITES) || sim_arg_is(c->argv[0], "ping")))
        return misconf;
    if (s->readonly && (e->flags & SIM_WRITES))
        return "READONLY You can't write against a read only replica.";
    if (s->loading && !(e->flags & SIM_ANY_TIME))
        return "LOADING Redis is loading the dataset in memory";
    if (s->busy && !(e->flags & SIM_NO_AUTH))
        return "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
    return NULL;
}

void sim_command(struct sim_call *c)
{
    const struct sim_entry *e = look_up(c->server, c->argv[0]);
    size_t before = c->out->len;
    c->server->commands++;
    if (!e) {
        unknown(c);
    } else if ((e->arity > 0 && c->argc != e->arity) || c->argc < -e->arity) {
        sim_out_error(c->out, "ERR wrong number of arguments for '%s' command", e->name);
    } else {
        const char *why = refusal(c, e);
        if (why)
            sim_out_error(c->out, "%s", why);
        else if (c->server->features->denied && is_denied(c->server, e))
            deny(c, e);
        else if (c->server->features->eval_off && (e->flags & SIM_SCRIPTING))
            sim_out_error(c->out, "%s", c->server->features->eval_off);
        else if (c->server->features->only_key && is_key_denied(c, e))
            deny_key(c);
        else if (!c->session->in_multi || c->script || c->in_exec || (e->flags & SIM_NOT_QUEUED))
            e->run(c);
        else if (sim_multi_queue(c->session, c->argv, c->argc))
            sim_out_text(c->out, "+QUEUED\r\n");
        else
            sim_out_error(c->out, "ERR too much between MULTI and EXEC for this model");
    }
    int is_error = c->out->len > before && c->out->buf[before] == '-';
    if (is_error && c->session->in_multi && e != NULL && !(e->flags & SIM_NOT_QUEUED))
        c->session->is_spoilt = 1;
    if (is_error && c->session->in_multi && e == NULL)
        c->session->is_spoilt = 1;
    if (is_error && !c->script) {
        struct sim_arg text = {c->out->buf + before, c->out->len - before - 2};
        sim_note(c, SIM_FAILED, c->argv[0], text, (struct sim_arg){NULL, 0}, 0);
    }
}

size_t sim_server_input(struct sim_server *s, struct sim_session *session, const uint8_t *in, size_t len,
                        uint64_t now_ms, struct sim_out *out)
{
    size_t used = 0;
    if (session->ticket != 0 && !sim_server_unblock(s, session, now_ms, out))
        return 0;
    while (used < len && !session->closing && session->ticket == 0 && out->cap - out->len >= SIM_REPLY_MAX) {
        struct sim_arg argv[SIM_ARGS];
        struct sim_call c = {s, session, out, argv, 0, now_ms, 0, NULL, {NULL, 0}};
        const char *why = "";
        long n = sim_request_parse(in + used, len - used, argv, &c.argc, &why);
        if (n == 0 && len - used > SIM_COMMAND_MAX) {
            why = "Protocol error: too big for this model";
            n = -1;
        }
        if (n < 0) {
            sim_out_error(out, "ERR %s", why);
            session->closing = 1;
            return len;
        }
        if (n == 0)
            break;
        used += (size_t)n;
        if (c.argc > 0)
            sim_command(&c);
        if (s->is_pushed)
            sim_server_serve(s, now_ms);
    }
    return session->closing ? len : used;
}

static void new_run(struct sim_server *s, uint64_t seed, uint64_t now_ms)
{
    for (int i = 0; i < 40; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        s->run_id[i] = "0123456789abcdef"[seed >> 60];
    }
    s->run_id[40] = '\0';
    s->start_ms = now_ms;
    s->scripts = 0;
    s->waiters = s->is_pushed = 0;
}

void sim_server_start(struct sim_server *s, const struct sim_features *f, uint64_t seed, uint64_t now_ms)
{
    s->features = f;
    s->note = NULL;
    s->note_ctx = NULL;
    s->port = 0;
    s->readonly = s->is_replica = s->is_unnamed = s->loading = s->oom = s->busy = s->misconf = 0;
    s->info_error = NULL;
    s->commands = 0;
    s->stamp = 0;
    s->keys = 0;
    s->tickets = 0;
    new_run(s, seed, now_ms);
}

void sim_server_restart(struct sim_server *s, uint64_t seed, uint64_t now_ms, int keep_data)
{
    if (!keep_data)
        sim_server_flush(s);
    new_run(s, seed, now_ms);
}
