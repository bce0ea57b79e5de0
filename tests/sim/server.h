/* SPDX-License-Identifier: MIT */
/*
 * server.h - a model of a Redis server: bytes in, bytes out, the time as an argument.
 *
 * It knows the commands that the library sends and a few more that tests use. Its replies have the texts of
 * Redis 7.0 to the byte, and it has its own parser of requests. It has no socket, no clock and no heap. So
 * the same object is used in the simulator and with real sockets (tests/servers/standin_main.c).
 */
#ifndef SIM_SERVER_H
#define SIM_SERVER_H

#include <stddef.h>
#include <stdint.h>

enum {
    SIM_KEYS = 64,          /* keys one server can hold; one more is answered with -OOM */
    SIM_KEY_MAX = 192,      /* bytes of a key */
    SIM_VALUE_MAX = 128,    /* bytes of a value */
    SIM_ARGS = 72,          /* arguments of one command */
    SIM_COMMAND_MAX = 4096, /* bytes of one command; what is longer is a protocol error */
    SIM_REPLY_MAX = 2048,   /* room for one reply that sim_server_input requires */
    SIM_QUEUE_MAX = 768,    /* bytes of the commands between MULTI and EXEC */
    SIM_WATCHED_MAX = 8,    /* keys that a connection watches at once */
    SIM_SCRIPTS = 16,       /* script texts it caches at once; the library sends ten */
    SIM_WAITERS = 32        /* connections that wait in BLPOP at once */
};

/* The wording of error replies: it differs between versions. */
enum sim_texts { SIM_REDIS7, SIM_REDIS6, SIM_REDIS8, SIM_REDIS84, SIM_VALKEY8, SIM_VALKEY9 };

/* What kind of server it is; constant. */
struct sim_features {
    const char *version;    /* redis_version of INFO */
    enum sim_texts texts;   /* 0: those of Redis 7.0 */
    const char *password;   /* of the default user; NULL: none is needed */
    uint8_t no_scripts;     /* EVAL, EVALSHA and SCRIPT are unknown commands */
    uint8_t no_set_options; /* SET k v alone, as before 2.6.12 */
    uint8_t no_pttl;        /* PTTL is unknown, as before 2.6 */
    uint8_t has_delex;      /* DELEX, as Redis 8.4 */
    uint8_t has_delifeq;    /* DELIFEQ, as Valkey 9 */
    uint8_t has_msetex;     /* MSETEX, as Redis 8.4 and Valkey 9.1 */
    uint8_t whole_timeouts; /* BLPOP takes whole seconds only, as before 6.0 */
    uint8_t is_cluster;     /* as INFO reports */
    const char *denied;     /* commands the user may not run, " info blpop "; NULL: none */
    const char *eval_off;   /* the reply to EVAL and EVALSHA, which are not run; NULL: they run */
    const char *only_key;   /* the one key that the user may use; NULL: all */
    uint8_t key_by_call;    /* only_key applies to writes, and in a script to its calls alone */
    const char *policy;     /* maxmemory_policy of INFO; NULL: noeviction, and no maxmemory */
};

/* Borrowed bytes of one argument. */
struct sim_arg {
    const uint8_t *data;
    size_t len;
};

/* What a command did, reported to an observer (an oracle, a trace). */
enum sim_deed {
    SIM_SET_GRANTED,  /* SET wrote the key */
    SIM_SET_REFUSED,  /* SET NX found it taken */
    SIM_EXPIRE_SET,   /* PEXPIRE, or MSETEX XX, gave the key more time, or as much */
    SIM_SHORTENED,    /* it took time from the key */
    SIM_DELETED,      /* the key was deleted by a command */
    SIM_SCRIPT_DONE,  /* a script ended; number is what it returned */
    SIM_PTTL_QUERIED, /* EXEC queried its PTTL, so nothing has changed since WATCH */
    SIM_KEYS_FOUND,   /* MGET found values of watched keys; number is how many */
    SIM_FAILED        /* a command got an error reply; value is its text */
};

struct sim_note {
    enum sim_deed deed;
    struct sim_arg key;              /* of a script: its first key */
    struct sim_arg value;            /* the value of SET; inside a script its ARGV[1] */
    struct sim_arg held;             /* the value before; empty: no key */
    const struct sim_script *script; /* the script that ran the command, or ended; NULL: none */
    int64_t number;                  /* ms left afterwards (-1: no expiry), or a script's result */
    int arguments;                   /* of a script: how many follow its keys */
    struct sim_arg second;           /* of a script that ended: the second of them */
};

typedef void sim_note_fn(void *ctx, const struct sim_note *note);

struct sim_key {
    uint64_t expire_ms; /* by the server's clock; 0: never */
    uint32_t stamp;     /* another one with every change */
    uint8_t used;
    uint8_t is_list; /* value is elements, each after a byte with its length */
    uint8_t items;   /* of a list */
    uint8_t db;
    uint8_t key_len;
    uint8_t value_len;
    uint8_t key[SIM_KEY_MAX];
    uint8_t value[SIM_VALUE_MAX];
};

enum { SIM_SCRIPT_MAX = 768, SIM_LUA_TOKENS = 160 };

struct sim_lua_token {
    uint8_t kind; /* enum of lua.c */
    uint8_t len;
    uint16_t at;    /* of a name or a string: its position in the text */
    int32_t number; /* of a name: its first position */
};

/* A loaded script; read once, shared by all servers of the process. */
struct sim_script {
    uint16_t len;
    uint16_t tokens;
    char sha[41];
    char text[SIM_SCRIPT_MAX];
    struct sim_lua_token token[SIM_LUA_TOKENS];
};

/* A connection in BLPOP; in order of arrival. */
struct sim_waiter {
    uint64_t until_ms; /* UINT64_MAX: for ever */
    uint32_t ticket;   /* also in the session that waits */
    uint8_t is_served; /* value is its element, which was removed from the list */
    uint8_t db;
    uint8_t key_len;
    uint8_t value_len;
    uint8_t key[SIM_KEY_MAX];
    uint8_t value[SIM_VALUE_MAX];
};

struct sim_server {
    const struct sim_features *features;
    sim_note_fn *note; /* or NULL */
    void *note_ctx;
    uint64_t start_ms; /* server clock at start */
    char run_id[41];
    uint16_t port; /* for INFO */
    /* conditions that a test switches */
    uint8_t readonly, loading, oom, busy, misconf;
    uint8_t is_replica;     /* it accepts writes nevertheless */
    uint8_t is_unnamed;     /* INFO shows no run_id, as that of Dragonfly */
    const char *info_error; /* a proxy replies to INFO with this error; NULL: there is none */
    uint8_t scripts;        /* used entries of script[] */
    uint32_t keys;          /* entries of key[] ever used since the last flush */
    uint32_t stamp;
    uint64_t commands;
    uint32_t tickets;
    uint8_t waiters;   /* used entries of waiter[] */
    uint8_t is_pushed; /* an element was pushed to a list */
    const struct sim_script *script[SIM_SCRIPTS];
    struct sim_key key[SIM_KEYS];
    struct sim_waiter waiter[SIM_WAITERS];
};

/* The keys of a server at some time. */
struct sim_disk {
    uint32_t keys;
    struct sim_key key[SIM_KEYS];
};

struct sim_watched {
    uint32_t stamp; /* of the key when it was watched; 0: it did not exist */
    uint8_t len;
    uint8_t key[SIM_KEY_MAX];
};

/* What a server keeps for each connection; zero-initialised is a new one. */
struct sim_session {
    uint8_t is_authed;
    uint8_t closing; /* the server closes the connection after the reply */
    uint8_t db;
    uint8_t name_len;
    char name[32];
    uint32_t ticket; /* waits in BLPOP; 0: it does not */
    /* WATCH, MULTI */
    uint8_t in_multi;
    uint8_t is_spoilt; /* a command was refused while queueing */
    uint8_t watched; /* so many keys are */
    uint16_t queue_len;
    uint8_t queued;
    struct sim_watched watch[SIM_WATCHED_MAX];
    uint8_t queue[SIM_QUEUE_MAX]; /* commands between MULTI and EXEC, as they came */
};

struct sim_out {
    uint8_t *buf;
    size_t cap;
    size_t len;
};

/* A server that starts with no data at now_ms; seed makes its run_id. */
void sim_server_start(struct sim_server *s, const struct sim_features *f, uint64_t seed, uint64_t now_ms);
/* Start again with another run_id and without scripts; without keys too unless keep_data. */
void sim_server_restart(struct sim_server *s, uint64_t seed, uint64_t now_ms, int keep_data);

/*
 * Execute the complete commands in in[0..len) and append their replies to out. Returns the number of bytes
 * used; the caller passes the rest again, followed by new bytes. Stops early while out has less than
 * SIM_REPLY_MAX bytes of room, and for good once session->closing.
 */
size_t sim_server_input(struct sim_server *s, struct sim_session *c, const uint8_t *in, size_t len,
                        uint64_t now_ms, struct sim_out *out);

/*
 * BLPOP holds a connection: sim_server_input uses no bytes until the wait is over. Then it replies even if it
 * gets no bytes. Returns the end of the wait: 0, now (served, or not waiting); UINT64_MAX, until another
 * client pushes. Input from any other connection may bring it forward: call this again afterwards.
 */
uint64_t sim_server_wakes(struct sim_server *s, const struct sim_session *c);
/* The server has seen the connection end, so its wait ends. An element already served is lost. */
void sim_server_leave(struct sim_server *s, struct sim_session *c);

/* The key as it is now, or NULL (also after its expiry). */
struct sim_key *sim_server_find(struct sim_server *s, unsigned db, struct sim_arg key, uint64_t now_ms);
/* Forget every key, as FLUSHALL does. */
void sim_server_flush(struct sim_server *s);
/* Forget every key with a ttl, as a full server may do (maxmemory-policy volatile-lru). */
void sim_server_evict(struct sim_server *s);
/* Save the keys as they are; replace the keys by the saved ones. */
void sim_server_save(const struct sim_server *s, struct sim_disk *disk);
void sim_server_load(struct sim_server *s, const struct sim_disk *disk);

/* ---- between the files of the model */

/*
 * One request in in[0..len): > 0 bytes used, *argc arguments in argv (0: an empty one, skip it);
 * 0: not complete; -1: a protocol error, *why its text.
 */
long sim_request_parse(const uint8_t *in, size_t len, struct sim_arg argv[SIM_ARGS], int *argc,
                       const char **why);

void sim_out_raw(struct sim_out *o, const void *data, size_t len);
void sim_out_text(struct sim_out *o, const char *text); /* raw bytes, usually a whole line with \r\n */
void sim_out_int(struct sim_out *o, int64_t v);
void sim_out_bulk(struct sim_out *o, const void *data, size_t len);
void sim_out_digits(struct sim_out *o, uint64_t v);
/* printf into an error line: "-" text "\r\n". It supports only %s and %.*s; the real printf is too slow. */
void sim_out_error(struct sim_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

int sim_arg_is(struct sim_arg a, const char *word); /* without regard to case */
int sim_arg_int(struct sim_arg a, int64_t *v);      /* as strict as the server: 1 or 0 */

/* One command and its context. */
struct sim_call {
    struct sim_server *server;
    struct sim_session *session;
    struct sim_out *out;
    const struct sim_arg *argv;
    int argc;
    uint64_t now_ms;
    int in_exec;
    const struct sim_script *script; /* the script that runs it, or NULL */
    struct sim_arg script_arg;       /* its ARGV[1] */
};

/* Argument i as a key: its entry now, or NULL; its value; whether that equals this. */
struct sim_key *sim_key_at(struct sim_call *c, int i);
struct sim_arg sim_value_of(const struct sim_key *k);
int sim_key_is(const struct sim_key *k, struct sim_arg value);
/* A free entry for the key, or NULL when the table is full of live keys. */
struct sim_key *sim_key_create(struct sim_call *c, struct sim_arg key);
/* Report that a key has changed, or is gone. Every function that changes a key calls these. */
void sim_key_touch(struct sim_server *s, struct sim_key *k, uint64_t now_ms);
void sim_key_delete(struct sim_server *s, struct sim_key *k, uint64_t now_ms);
/* Give pushed elements to the waiters. */
void sim_server_serve(struct sim_server *s, uint64_t now_ms);
/* Returns 1 if its wait is over and it got its reply; 0 if it still waits. */
int sim_server_unblock(struct sim_server *s, struct sim_session *c, uint64_t now_ms, struct sim_out *out);
/* Run a command of the table; also for redis.call of a script. */
void sim_command(struct sim_call *c);
void sim_note(const struct sim_call *c, enum sim_deed deed, struct sim_arg key, struct sim_arg value,
              struct sim_arg held, int64_t number);

enum sim_flag {
    SIM_WRITES = 1, /* refused by a replica and by a server that cannot save */
    SIM_NEEDS_MEMORY = 2,
    SIM_ANY_TIME = 4, /* allowed while loading */
    SIM_NO_AUTH = 8,  /* allowed without a login */
    SIM_SCRIPTING = 16,
    SIM_NOT_QUEUED = 32, /* runs inside MULTI too */
    SIM_DELEX = 64,      /* only if the server has it */
    SIM_DELIFEQ = 128,
    SIM_KEYED = 256, /* its first argument is a key */
    SIM_MSETEX = 512
};

struct sim_entry {
    const char *name;
    int arity; /* as Redis counts: the command too; negative: a minimum */
    int flags;
    void (*run)(struct sim_call *c);
};

extern const struct sim_entry sim_key_commands[];
extern const struct sim_entry sim_delete_commands[];
extern const struct sim_entry sim_script_commands[];
extern const struct sim_entry sim_multi_commands[];
extern const struct sim_entry sim_list_commands[];
void sim_info(struct sim_call *c); /* the command INFO */
/* Keep a command for EXEC; 0: too many bytes. */
int sim_multi_queue(struct sim_session *s, const struct sim_arg *argv, int argc);

/* Read a script's text into tokens; 0 when it has too many. */
int sim_lua_read(struct sim_script *script);
/*
 * Run a script: the small part of Lua that lock scripts are written in (lua.c). Appends the
 * reply to c->out.
 */
void sim_lua_run(struct sim_call *c, const struct sim_script *script, const struct sim_arg *keys, int nkeys,
                 const struct sim_arg *args, int nargs);

void sim_sha1_hex(const void *data, size_t len, char hex[41]);

#endif
