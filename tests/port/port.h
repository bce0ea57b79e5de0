/* SPDX-License-Identifier: MIT */
/*
 * port.h - what `make check-port` runs a driver with: a conn that watches how it is treated, and peers that
 * do all that a network may do. net/PORTING.md tells the rules, port_rules.c lists them.
 *
 * A case is a function in this process, which calls the driver, and one in another process, the peer. Both
 * write bytes of a pattern that says which connection they belong to, and where they stand in it; so none can
 * be lost, doubled, or come from another connection unseen.
 */
#ifndef RDL_TESTS_PORT_H
#define RDL_TESTS_PORT_H

#include "net/net.h"

/* ---------------------------------------------------------------- the driver under test */

/*
 * What a driver brings, in a file of its own: set up *platform, once. The conns that its poll is called with
 * have endpoints on 127.0.0.1. One that needs conns to be set up, or more files, does it here.
 */
void port_driver(struct rdl_platform *platform);

/* ---------------------------------------------------------------- rules */

/* In the order of net/PORTING.md. */
enum port_rule {
    PORT_OPENS = 1,
    PORT_REFUSED,
    PORT_GIVEN_UP,
    PORT_ENDS,
    PORT_CLOSES,
    PORT_WANTED,
    PORT_CHUNK,
    PORT_NOTHING,
    PORT_SENDS,
    PORT_RECEIVES,
    PORT_OLD_IN,
    PORT_OLD_OUT,
    PORT_UNTIL,
    PORT_WAKES,
    PORT_TURNS,
    PORT_OTHERS,
    PORT_LEAKS,
    PORT_SIGNALS,
    PORT_CLOCK,
    PORT_RANDOM,
    PORT_RULES
};

const char *port_rule_text(enum port_rule rule);

/* This rule is broken: says so, with what was seen, and ends the process. In the peer too. */
__attribute__((format(printf, 2, 3))) void port_broken(enum port_rule rule, const char *seen, ...);
/* If from now on nothing comes of it, this rule is the one that is broken. */
void port_expect(enum port_rule rule, const char *seen);

/* ---------------------------------------------------------------- the pattern */

/* The byte at this place of connection id, 1 to 127. Every fourth says the id, and is above 127. */
unsigned char port_byte(unsigned id, unsigned long at);

/* One direction of a connection, as it comes. */
struct port_stream {
    unsigned id;      /* 0: none yet */
    unsigned last_id; /* of connections before */
    unsigned long at; /* bytes so far */
};

/* The next byte. broken: the rule if it is not what it should be; old: if it is of a connection before. */
void port_stream_take(struct port_stream *s, unsigned char byte, enum port_rule broken, enum port_rule old);
void port_stream_next(struct port_stream *s);

/* ---------------------------------------------------------------- the conn that watches */

struct port_conn {
    struct rdl_conn conn; /* first: what the driver gets */
    struct rdl_conn_config config;
    struct rdl_endpoint endpoint;
    unsigned wants; /* enum rdl_wants, now */
    unsigned opened, closed;
    int is_reading;        /* wants to read once it is open */
    unsigned long to_send; /* bytes it wants to write over this connection */
    unsigned long sent;
    unsigned empty; /* so many calls of tx return nothing, though it said that it has something */
    size_t chunk;   /* of the tx whose tx_done is due */
    struct port_stream in;
    unsigned id; /* of this connection */
};

/* A conn to that port of 127.0.0.1, closed. */
void port_conn_init(struct port_conn *p, int port);
/* It wants to be opened, to read, and to send so many bytes. */
void port_conn_open(struct port_conn *p, unsigned long to_send);
/* It has given up and wants to be closed. */
void port_conn_close(struct port_conn *p);

/* ---------------------------------------------------------------- cases */

/* What the two processes of a case share. */
struct port_shared {
    volatile int go;              /* the driver's side lets the peer take its next step */
    volatile int step;            /* the peer has taken so many */
    volatile int ends;            /* connections whose end it saw */
    volatile unsigned long heard; /* bytes it has read of this connection */
    volatile int rule;            /* of port_expect */
    volatile int is_broken;       /* it is */
    char seen[120];
};
extern struct port_shared *port_shared;

struct port_case {
    const char *name;
    void (*driver)(void);       /* this side; it ends when all is well */
    void (*peer)(int listener); /* NULL: nobody listens there */
};
extern const struct port_case port_cases[];
extern const unsigned port_n_cases;

extern int port_number;   /* of the peer's port */
extern int port_listener; /* where the case has no peer: its socket, bound, on which nobody listens */
/* A connection of nobody's to the listener, which goes on by itself; and a port where nobody listens. */
int port_connect_nobody(void);
int port_free_number(void);
/* While it is set, the calls that send and receive take little, and fail as they may (port_calls.c). */
extern int port_is_hard;
enum { PORT_TURN_BYTES = 65536 }; /* more of one conn in one poll is not a turn any more */
/* One poll of the driver, of these conns, for ms at most. */
void port_turn(struct port_conn *const *conns, unsigned n, uint64_t ms);
uint64_t port_now_ms(void);
void port_random(void *buf, size_t len);
/* Starts the next step of the peer; wait until it has taken it. */
void port_let(void);
void port_wait_step(int step);

/* ---------------------------------------------------------------- the peer's side */

int port_accept(int listener);
void port_wait_go(int go);
/* Send bytes [at, at + n) of connection id. */
void port_send(int fd, unsigned id, unsigned long at, unsigned long n);
/* Read n bytes of the driver's; they must be what it should send. */
void port_read(int fd, struct port_stream *s, unsigned long n);
/* Both at once, in pieces of odd sizes, until n were sent and n were read. */
void port_exchange(int fd, struct port_stream *s, unsigned id, unsigned long n);
/* Wait until what is sent there is taken no more. */
void port_wait_full(int fd);
/* Read until the driver has closed it. */
void port_read_end(int fd, struct port_stream *s);
/* End it by a reset. */
void port_reset(int fd);

#endif
