/* SPDX-License-Identifier: MIT */
/* world.h - the parts of a simulated world; the functions on it are in sim.h. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "lock/lock_hint.h"
#include "redlock/slots.h"
#include "tests/sim/any_lock.h"
#include "tests/sim/server.h"

enum {
    CLIENTS_MAX = 6,
    SERVERS_MAX = RDL_SERVERS_MAX,
    CONNS_MAX = SERVERS_MAX + 1, /* of one client: one to each server, and one that waits for hints */
    HANDLES_MAX = 3,             /* locks of one client */
    NAMES = 2,                   /* different lock names in a world */
    APART = NAMES,               /* and one of locks on one server that share a redlock's connection */
    SLOT = APART + 1,            /* and those of slots, in a world of slots */
    SLOTS_MAX = 4,
    NAMES_END = SLOT + SLOTS_MAX,
    TCPS = 160,
    FIFO = 8192,
    QUEUE_BYTES = 8192,
    QUEUE_LEAST = sizeof(void *) == 8 ? 512 : 456, /* 7 requests, which have two pointers each */
    TX_BYTES = 1024,
    RX_BYTES = 256,
    RX_LEAST = 16,
    TX_LEAST = 7,
    ZONE = 8, /* bytes after each buffer of a conn that must not be written */
    EVENTS = 4096,
    TOKENS = 4096, /* a power of two */
    FENCES = 64,   /* of a name, that are remembered */
    FAULTS = 4000,
    FORKS = 10, /* most in one path */
    PLACES = 16 /* with the same set of rare states, that are remembered */
};

#define MS     1000ull
#define SECOND 1000000ull
#define NEVER  UINT64_MAX

/* ---------------------------------------------------------------- random streams */

struct rng {
    uint64_t state;
};

/* ---------------------------------------------------------------- what can go wrong */

/* Classes of faults; each has a bit of options.faults and a random stream. */
enum fault {
    FAULT_TAIL,      /* some bytes travel much longer */
    FAULT_CUT,       /* bytes are cut and merged in flight, writes are short, buffers small */
    FAULT_RESET,     /* a connection is reset, before or after its bytes were applied */
    FAULT_STALL,     /* a link loses everything for a while; the connection stays */
    FAULT_PARTITION, /* several links at once, one way or both */
    FAULT_REFUSE,    /* a server refuses connections, or their first packet gets lost */
    FAULT_CRASH,     /* a server loses its data; without a guard it is held down for max ttl + 1 s */
    FAULT_REBOOT,    /* a server restarts at once with its data (fsync always) */
    FAULT_FREEZE,    /* a server stops and resumes: what arrived meanwhile is applied then */
    FAULT_PAUSE,     /* a client stops and resumes */
    FAULT_KILL,      /* a client dies and a new one takes its place */
    FAULT_CLOCK,     /* clocks run at different rates, within the allowance */
    FAULT_SPURIOUS,  /* steps and wake-ups for no reason, late wake-ups */
    FAULT_ERRORS,    /* a server replies with errors for a while: OOM, LOADING, READONLY, BUSY, MISCONF */
    FAULT_SCRIPTS,   /* SCRIPT FLUSH */
    FAULT_CANCEL,    /* the user changes its plans in the middle */
    /* outside the assumptions: exclusion may and must break */
    FAULT_FLUSH,       /* FLUSHALL */
    FAULT_RESTART,     /* a server loses its data and restarts at once */
    FAULT_STEP_CLIENT, /* a client's clock is set back */
    FAULT_STEP_SERVER, /* a server's clock steps ahead: its keys expire early */
    FAULT_RATE,        /* clocks run at rates outside the allowance */
    FAULT_PROMOTE,     /* a server was demoted and promoted again: its data is another server's */
    FAULT_LAG,         /* a lagging replica is promoted: the same data, from a moment ago */
    FAULT_EVICT,       /* a full server evicts keys with a ttl */
    /* inside again, in the order in which they were added */
    FAULT_EVERYSEC, /* a server restarts with its data of up to 1 s ago; held down as FAULT_CRASH */
    FAULT_ADOPT,    /* a client dies and comes back, and has the token of what it held */
    FAULT_HINT,     /* some wait for a hint; foreign hints, and hint keys that are not lists */
    FAULT_MULTI,    /* some take several locks as one */
    FAULT_HALF,     /* a client sees a reset of its connection; what it sent arrives nevertheless */
    FAULT_WALL,     /* a client's wall clock steps: fencing tokens begin there */
    FAULT_BETWEEN,  /* other clients have their turn between commands that were sent together, for a while */
    FAULT_SWALLOW,  /* connections that are up swallow everything, one way or both; new ones work */
    FAULT_PROXY,    /* a proxy has extends and releases executed, and replies with an error of its own */
    /* what programs do with handles and connections, and what they meet; sim_misuse.c, only with misuse=1 */
    FAULT_COPY,    /* copies of handles are used */
    FAULT_SHARED,  /* locks on one server use a redlock's connection */
    FAULT_REMADE,  /* connections are set up again, with their redlocks or without */
    FAULT_OPTIONS, /* options change between operations */
    FAULT_ACL,     /* a client may not use some keys or commands, for a while */
    FAULT_FULL,    /* other requests fill a queue */
    FAULT_REPLIES, /* any command is refused with any error reply of resp/WIRE.md */
    FAULT_FORK,    /* a child process uses its copies of all */
    FAULT_CLASSES
};

enum stream {
    STREAM_SETUP = FAULT_CLASSES, /* the kind of world */
    STREAM_DELAY,                 /* how long bytes travel: each link has a stream of its own from this */
    STREAM_USER,                  /* the users' actions: each user has its own stream from this */
    STREAM_LIBRARY,               /* entropy given to the library */
    STREAM_GUARD,                 /* which restart guard */
    STREAM_MORE,                  /* the classes that were added later */
    STREAMS
};

#define FAULT_BIT(f)   (1ull << (f))
#define FAULTS_FIRST   (FAULT_BIT(FAULT_FLUSH) - 1) /* inside the assumptions */
#define FAULTS_ALL     (FAULT_BIT(FAULT_CLASSES - 1) * 2 - 1)
#define FAULTS_MISUSE  (FAULTS_ALL & ~(FAULT_BIT(FAULT_COPY) - 1))
#define FAULTS_LATER   (FAULT_BIT(FAULT_COPY) - FAULT_BIT(FAULT_EVERYSEC))
#define FAULTS_INSIDE  (FAULTS_FIRST | FAULTS_LATER)
#define FAULTS_OUTSIDE (FAULTS_ALL & ~FAULTS_INSIDE & ~FAULTS_MISUSE)
/* Counters may get lost: then fencing tokens grow by the floors alone. */
#define FAULTS_LOSING (FAULT_BIT(FAULT_CRASH) | FAULT_BIT(FAULT_EVERYSEC) | FAULTS_OUTSIDE)

/* After so many events the world goes on with random numbers that come from this one (sim_branch.c). */
struct fork {
    uint64_t events, number;
};

/* The world to make; 0 or -1 means: drawn from the seed. */
struct options {
    uint64_t seed;
    int64_t faults; /* bits; -1: drawn among those inside the assumptions */
    int clients;
    int servers;
    int ttl_ms;
    int is_single;            /* 1: lock/ on one server; 0: redlock; -1: drawn */
    int guard;                /* enum rdl_guard + 1; 0: drawn */
    int is_unnamed;           /* no server shows a run_id; 0: drawn */
    int has_misuse;           /* classes of misuse are drawn, too */
    int chunk;                /* bytes that are sent and read at once; 0: drawn */
    int is_roomy;             /* no queue is small; 0: drawn */
    int slots;                /* all locks are this many slots of one name; 0: they are locks */
    int is_blocking;          /* programs use only the blocking calls (sim_blocking.c) */
    int trace;                /* print a line per state change */
    int is_plotted;           /* its picture is recorded */
    int is_scripted;          /* no user acts by itself: a scenario does */
    uint64_t end_us;          /* how long the world lasts */
    uint64_t heal_us;         /* when faults stop */
    uint32_t idle;            /* bits, client * HANDLES_MAX + lock: users that never want anything */
    int branches;             /* schedules that go on from rare states, after each seed */
    int is_planted;           /* a fault for the simulator itself to find (sim_planted.c) */
    unsigned forks;           /* entries of path */
    struct fork path[FORKS];  /* by events */
    uint8_t left_out[FAULTS]; /* entries of the plan of faults that do not happen */
};

/* ---------------------------------------------------------------- the parts of a world */

enum event_kind {
    EVENT_WAKE,     /* client: its time has come */
    EVENT_OPENED,   /* tcp: the handshake is complete */
    EVENT_UP,       /* tcp: n bytes arrive at the server */
    EVENT_UP_FIN,   /* tcp: the client's close arrives */
    EVENT_SERVE,    /* tcp: the server continues with its input */
    EVENT_DOWN,     /* tcp: n bytes arrive at the client */
    EVENT_DOWN_FIN, /* tcp: the server's close (n 0) or reset arrives */
    EVENT_FAULT     /* fault number n begins or ends */
};

struct event {
    uint64_t key; /* when (us), followed by the order in which they were made */
    uint32_t n;
    uint32_t gen; /* of the tcp, so that events of an earlier one are ignored */
    uint16_t who;
    uint8_t kind;
};

struct fifo {
    uint32_t head;
    uint32_t len;   /* bytes in it */
    uint32_t ready; /* of them arrived; the rest is in flight */
    uint8_t *data;  /* FIFO bytes */
};

struct tcp {
    uint32_t gen;
    uint8_t used;
    uint8_t client, server;
    uint8_t waits;       /* in BLPOP, and the end of that wait is an event */
    uint8_t client_open; /* 0 closed, 1 opening, 2 open */
    uint8_t server_open; /* the server has a session for it */
    uint8_t refused;
    uint8_t fin_sent;            /* the server's close is in flight */
    uint8_t fin_came;            /* the client's close has arrived */
    uint8_t down_ended;          /* the server's close has arrived; 2: a reset */
    uint8_t down_lost;           /* a reset destroyed what the server had sent */
    uint8_t swallows;            /* bits: 1 what the client sends, 2 what the server sends */
    uint8_t sent_readonly;       /* the client closes when it reads that: nothing after it is read */
    uint64_t up_last, down_last; /* when the last bytes in flight arrive */
    uint64_t gap_until;          /* other clients have their turn before the next command */
    struct fifo up, down;
    struct sim_session session;
    uint8_t bytes[2][FIFO];
};

struct link {
    uint32_t delay_us; /* one way, at least */
    uint32_t jitter_us;
    uint64_t up_blocked, down_blocked; /* nothing arrives before */
    struct rng delays;
    uint64_t last_break;     /* when a connection over it ended last */
    uint64_t swallows_since; /* when the present ones began to */
    /* for scenarios: this command, and those sent after it, are not executed before that time */
    const char *gap_before; /* NULL: none */
    uint64_t gap_until;
};

struct clock {
    uint64_t offset_us;
    int32_t ppm; /* how much faster than the world */
    int64_t step_us;
};

/* The commands of the scripts that extend and release one lock; the methods' own commands; WATCH. */
enum proxy { PROXY_SCRIPTS = 1, PROXY_DELETES = 2, PROXY_WATCH = 4 };

struct host {
    struct world *world;
    struct sim_server model;
    struct sim_disk disk; /* restored by a restart, or the data of a lagging replica */
    struct clock clock;
    uint8_t index;
    uint8_t is_down;
    uint8_t is_frozen;
    uint8_t proxy; /* bits of enum proxy: the commands to which a proxy replies with an error of its own */
    uint64_t refuse_until;
    uint64_t blackhole_until;
    uint64_t up_at;
    struct tcp *serving;
    uint8_t acl[CLIENTS_MAX]; /* what this client may not do; 0: it may do everything */
};

enum handle_state { IDLE, ACQUIRING, HELD, EXTENDING, RELEASING };

enum hint_use { HINT_NONE, HINT_WAITS, HINT_SENDS };

/*
 * The memory that a program lends to the library for one lock. Between uses it frees this, and takes other
 * memory next time.
 */
struct memory {
    struct rdl_redlock redlock;
    struct rdl_slots slots; /* of that redlock, in a world of slots */
    struct rdl_server servers[SERVERS_MAX];
    struct rdl_canary canaries[SERVERS_MAX];
    union any_lock own; /* of a single one */
    struct rdl_hint hint;
    uint8_t packed[RDL_NAME_MAX]; /* the names of a multi */
};

/* One lock of one client, and its user. */
struct handle {
    struct rdl_redlock_options opt;
    struct memory memory[2];
    struct memory *m; /* the present or the last one */
    uint8_t keeps;    /* never frees it */
    uint8_t is_free;  /* it was freed: not even the program may read it */
    struct rdl_renewal renewal;
    uint8_t client, index;
    uint8_t is_single;
    uint8_t is_multi; /* holds both names, in the order of its own */
    uint8_t slots;    /* number of slots of its name; 0: it is a lock */
    uint8_t is_apart; /* a lock on one server, in a world of redlocks, with a name of its own */
    enum hint_use hint_use;
    enum any_mode mode; /* of a single one */
    uint8_t single_server;
    uint8_t name;
    uint8_t state; /* enum handle_state */
    uint8_t uses_renewal;
    uint64_t act_at;    /* time of the user's next action (virtual time) */
    uint8_t again;      /* its release failed, and the user retries it */
    uint64_t cancel_at; /* time of a cancel in the middle of an operation */
    uint64_t hold_until;
    int result; /* of the last operation */
    /* a copy of a redlock, which must not work (sim_misuse.c) */
    struct rdl_redlock stale;
    uint8_t has_stale;
    uint8_t rare[SERVERS_MAX];    /* bits: the rare states that it has had (sim_branch.c) */
    uint8_t planted[SERVERS_MAX]; /* bits: the planted events that it has had there (sim_planted.c) */
    /* for the oracles */
    uint64_t op_us;                     /* when the operation began */
    uint64_t op_ms;                     /* the same by the client's clock */
    uint64_t limit_ms;                  /* its deadline, by the client's clock */
    uint64_t set_us;                    /* when the floor was set last */
    uint64_t floor_us;                  /* the same, when the last attempt began; NEVER: none was */
    uint64_t asked_us;                  /* time of that attempt */
    uint8_t was_confirmed;              /* the extend was confirmed in time; restored keys are awaited */
    uint8_t is_out;                     /* an extend: it was sent, or queued */
    uint8_t renewed[SERVERS_MAX];       /* extends in a row that this server had to answer (sim_blocking.c) */
    uint32_t renewed_over[SERVERS_MAX]; /* the connection, as tcp.gen */
    uint8_t was_voting;  /* an acquire: the votes of an attempt were in flight after the last step */
    uint64_t until_ms;   /* its validity before the operation */
    uint64_t failed_ms;  /* when the first unconfirmed extend began, by the client's clock; 0: none */
    uint64_t stalled_us; /* time that the client did not run since the operation began */
    uint32_t ttl_ms;
};

/* A token that a client has in a file: it outlives the client. */
enum kept { KEPT_NOTHING, KEPT_HELD, KEPT_RELEASED };

struct keepsake {
    enum kept what;
    char hex[RDL_VALUE_MAX];
};

struct client {
    struct clock clock;
    uint8_t index;
    uint8_t is_dead;
    uint8_t is_running;
    uint8_t is_remade;    /* conns were set up again without their redlocks */
    uint8_t spins;        /* iterations in a row after which it wanted another at once */
    uint8_t resume;       /* where a pause stopped its loop */
    int32_t wall_skew_ms; /* the error of its wall clock */
    uint64_t stale_ms;    /* the time it read before the pause; 0: none */
    uint64_t paused_until;
    uint64_t late_until; /* it woke later than planned, or will */
    uint64_t wake_at;    /* an EVENT_WAKE is due then */
    uint64_t last_run;
    struct rdl_conn conn[CONNS_MAX]; /* after those to the servers: the one for hints, to the first */
    struct rdl_conn_config cfg[CONNS_MAX];
    struct rdl_endpoint endpoint[CONNS_MAX];
    struct rdl_server_info server_info[CONNS_MAX];
    struct tcp *tcp[CONNS_MAX]; /* of the conn's present connection */
    struct handle handle[HANDLES_MAX];
    struct keepsake kept[HANDLES_MAX];
    struct rng dice[HANDLES_MAX]; /* of the users of its locks */
    uint64_t queue[CONNS_MAX][(QUEUE_BYTES + ZONE) / 8];
    uint16_t rx_len[CONNS_MAX]; /* most that it reads at once */
    uint16_t tx_len[CONNS_MAX]; /* most that its transport takes at once */
};

/* What the servers did with one token. */
struct token {
    uint32_t used;   /* the run */
    uint8_t granted; /* bits: servers that executed its SET and granted it */
    uint8_t refused;
    uint8_t deleted;        /* that deleted it by its release */
    uint8_t extended;       /* that extended it in the present operation */
    uint8_t missed;         /* that no longer had it at an extend */
    uint8_t ever_missed;    /* in this operation or an earlier one */
    uint8_t foreign;        /* that had another client's key instead, at some time */
    uint8_t setter;         /* the client whose SET was granted */
    uint8_t client, handle; /* the holder, when held */
    uint8_t is_held;
    uint8_t is_adopted; /* a returned client has it, and no server has confirmed it yet */
    uint8_t left;       /* bits: servers that executed its SET from a connection that the client had closed */
    uint8_t names;      /* of these locks, whose SET was granted on the first server */
    uint8_t was_held;   /* at some time: after that a SET with it restores the key */
    uint64_t first_us;  /* when a SET of it was first executed */
    uint64_t ended_us;  /* when its holder released it, or gave up */
    uint64_t extend_us; /* when an extend of the present operation was first executed */
    struct {
        uint32_t gen;
        uint8_t tcp;
    } via[SERVERS_MAX]; /* the connection over which its SET was answered */
    char hex[2 * RDL_TOKEN_LEN];
};

/* A fault that is planned. */
struct planned {
    uint8_t fault;
    uint8_t is_end;
    uint8_t is_save;    /* later writes are not on the server's disk */
    uint8_t what;       /* a detail of the class: which way, which error ... */
    uint8_t is_dropped; /* it does not happen: the world went on with other faults */
    uint8_t client, server;
    uint64_t at, until;
};

struct counts {
    uint64_t events, acquired, busy, no_quorum, expired, extended, released, commands, lost, unknown, adopted,
        hinted;
};

struct fence {
    uint64_t number;
    uint64_t done_us; /* when its holder had it */
};

/* The fencing token granted last, as the servers know it. */
struct last_fence {
    uint64_t number;
    uint64_t done_us;
    uint64_t most[SERVERS_MAX]; /* the greatest that each has counted */
    uint8_t held;               /* bits: servers that held it by their holder's actions */
    uint8_t lost;               /* of them: those that lost it */
    char token[2 * RDL_TOKEN_LEN];
};

struct world {
    struct options opt;
    struct rng stream[STREAMS];
    uint32_t run;
    uint64_t faults; /* bits, as drawn or given */
    int clients, servers, handles, is_single;
    int conns;                         /* of a client */
    int has_other_servers;             /* the oracles know less of them: by WATCH the client checks */
    int is_fenced;                     /* locks have fencing tokens, on one server or on N */
    int accepts_gap;                   /* an extend continues after one (RDL_HELD_WITH_GAP) */
    int has_legacy;                    /* 1: all are legacy; 2: some */
    struct fence fence[NAMES][FENCES]; /* the last ones granted */
    unsigned fences[NAMES];
    struct last_fence last[NAMES];
    int has_expiring_fences;
    int is_unnamed;   /* no server shows a run_id */
    int has_floors;   /* fencing tokens begin at the clients' wall clocks */
    uint64_t end_us;  /* opt.end_us, later if clients have quarantines to wait for */
    uint64_t stop_us; /* after this no user wants locks */
    uint32_t ttl_ms;  /* the longest ttl of any client */
    uint32_t max_ttl_ms;
    uint8_t guard;      /* enum rdl_guard, of all clients */
    uint8_t has_canary; /* all clients check canaries */
    uint64_t now;
    uint64_t base_us; /* the time from which the events' keys count */
    uint64_t hash;    /* of everything that happened */
    uint32_t seq;
    uint32_t events;
    uint32_t resets_in; /* deliveries until the next reset */
    uint32_t cut_permille, tail_permille, between_permille;
    uint32_t replies_permille;
    uint32_t slowest_us; /* one way, without faults */
    uint64_t hold_us, think_us;
    const char *violation; /* the first; NULL: none */
    uint64_t violation_at;
    char violation_text[200];
    uint64_t plan_from_us; /* earlier faults are not planned */
    uint32_t rare;         /* bits: the sets of rare states that one of its locks has had */
    unsigned forked;       /* entries of opt.path that are done */
    int planned_len;
    struct planned planned[FAULTS];
    struct link link[CLIENTS_MAX][SERVERS_MAX];
    struct host host[SERVERS_MAX];
    struct client client[CLIENTS_MAX];
    uint64_t last_acquired; /* virtual time */
    uint64_t acquired_after_heal;
    struct counts counts;
    struct event heap[EVENTS];
    struct token token[TOKENS];
    struct tcp tcp[TCPS];
};

#endif
