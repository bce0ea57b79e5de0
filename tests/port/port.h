/* SPDX-License-Identifier: MIT */
/*
 * port.h - what `make check-port` runs a driver with: a conn that checks the driver's calls, and peers that
 * do all that a network may do. The rules are in port_rules.c.
 *
 * A case is a function in this process, which calls the driver, and one in another process, the peer. Both
 * write bytes of a pattern that encodes their connection and their position in it. So no byte can be lost,
 * doubled, or come from another connection unnoticed.
 */
#ifndef RDL_TESTS_PORT_H
#define RDL_TESTS_PORT_H

#include "net/net.h"

/* ---------------------------------------------------------------- the driver under test */

/*
 * A driver provides this, in a file of its own: it sets up *platform, once. The conns for its poll have
 * endpoints on 127.0.0.1. A driver that needs to set up conns, or more files, does it here.
 */
void port_driver(struct rdl_platform *platform);

/* ---------------------------------------------------------------- rules */

/* Their texts are in port_rules.c. */
enum port_rule {
    PORT_OPENS = 1,
    PORT_REFUSED,
    PORT_ABORTED,
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

/* This rule is broken: print it, with what was seen, and end the process. In the peer, too. */
__attribute__((format(printf, 2, 3))) void port_broken(enum port_rule rule, const char *seen, ...);
/* If the case makes no progress from now on, this rule is the broken one. */
void port_expect(enum port_rule rule, const char *seen);

/* ---------------------------------------------------------------- the pattern */

/* The byte at this position of connection id, 1 to 127. Every fourth is the id, and is above 127. */
unsigned char port_byte(unsigned id, unsigned long at);

/* One direction of a connection, as received. */
struct port_stream {
    unsigned id;      /* 0: none yet */
    unsigned last_id; /* of earlier connections */
    unsigned long at; /* bytes so far */
};

/*
 * Check the next byte. broken: the rule if it is wrong; old: the rule if it belongs to an earlier connection.
 */
void port_stream_take(struct port_stream *s, unsigned char byte, enum port_rule broken, enum port_rule old);
void port_stream_next(struct port_stream *s);

/* ---------------------------------------------------------------- the conn that watches */

struct port_conn {
    struct rdl_conn conn; /* first: the driver's pointer */
    struct rdl_conn_config config;
    struct rdl_endpoint endpoint;
    unsigned wants; /* enum rdl_wants, now */
    unsigned opened, closed;
    int is_reading;        /* wants to read once it is open */
    unsigned long to_send; /* bytes it wants to write over this connection */
    unsigned long sent;
    unsigned empty; /* this many calls of tx return nothing, although it wanted to write */
    size_t chunk;   /* of the tx whose tx_done is due */
    struct port_stream in;
    unsigned id; /* of this connection */
};

/* A conn to that port of 127.0.0.1, closed. */
void port_conn_init(struct port_conn *p, int port);
/* It wants to be opened, to read, and to send this many bytes. */
void port_conn_open(struct port_conn *p, unsigned long to_send);
/* It aborts and wants to be closed. */
void port_conn_close(struct port_conn *p);

/* ---------------------------------------------------------------- cases */

/* Shared by the two processes of a case. */
struct port_shared {
    volatile int go;              /* the driver's side lets the peer take its next step */
    volatile int step;            /* the number of steps that the peer has taken */
    volatile int ends;            /* connections whose end the peer saw */
    volatile unsigned long heard; /* bytes that the peer has read of this connection */
    volatile int rule;            /* of port_expect */
    volatile int is_broken;       /* that rule is broken */
    char seen[120];
};
extern struct port_shared *port_shared;

struct port_case {
    const char *name;
    void (*driver)(void);       /* this side; it returns if all is well */
    void (*peer)(int listener); /* NULL: no process listens there */
};
extern const struct port_case port_cases[];
extern const unsigned port_n_cases;

extern int port_number;   /* of the peer's port */
extern int port_listener; /* if the case has no peer: its socket, bound, not listening */
/*
 * A connection from another process to the listener, which continues by itself; and a port on which no
 * process listens.
 */
int port_connect_nobody(void);
int port_free_number(void);
/*
 * While it is set, the calls that send and receive transfer few bytes, and fail as they may (port_calls.c).
 */
extern int port_is_hard;
/* While it is set, the system takes few bytes at a time of sockets that are connected, by whatever call. */
extern int port_is_narrow;
enum { PORT_TURN_BYTES = 65536 }; /* more bytes of one conn in one poll delay the others */
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
/* Read n bytes from the driver; they must be the expected ones. */
void port_read(int fd, struct port_stream *s, unsigned long n);
/* Both at once, in pieces of odd sizes, until n were sent and n were read. */
void port_exchange(int fd, struct port_stream *s, unsigned id, unsigned long n);
/* Wait until no more bytes can be sent. */
void port_wait_full(int fd);
/* Read until the driver has closed it. */
void port_read_end(int fd, struct port_stream *s);
/* End it by a reset. */
void port_reset(int fd);

#endif
