/* SPDX-License-Identifier: MIT */
/*
 * steps.pml - Redlock in steps: what servers and clients may do, and when.
 *
 * assumptions.pml takes these steps in any order, timeline.pml in that of a run of the code. Both first define
 * K servers (SERVERS: the size of arrays), CLIENTS, TOKENS, TIME (a type), DRIFT, SLACK (of times that the code
 * rounded), VALUE(t) (what a server stores of a token), and GUARD(c), CANARY(c): for how long a client does not
 * count a server that restarted, or one whose canary is gone.
 *
 * Each attempt has a token, from 1 on. A server that grants a SET or an extend promises the key until it ends.
 * Nobody promises anything that the client's guard and canary do not count. `off` is a rule of DESIGN.md that
 * is not followed.
 */
#define FREE 0
#define QUORUM (K / 2 + 1)

int off;
TIME now;
byte owner[SERVERS]; /* a value, or FREE */
TIME ends[SERVERS], restarted[SERVERS], emptied[SERVERS];
byte mine[CLIENTS];             /* the token of the lock that it holds or adopts, 0: none */
TIME lease[TOKENS];             /* until when its client counts on it */
bit over[TOKENS];               /* its release has begun */
bit adopted[TOKENS];            /* and no majority has confirmed it yet */
TIME promise[TOKENS * SERVERS]; /* 0: none */
bit fresh[TOKENS * SERVERS];    /* promised since the last extend that was done */
bit absent[TOKENS * SERVERS];   /* an extend found no key */
bit unsure[TOKENS * SERVERS];   /* put back: it proves nothing about the time before */

#define AT(t, n) ((t) * SERVERS + (n))
#define HELD(t) (now < lease[t])
#define COUNTS(c, s) ((now >= restarted[s] + GUARD(c) || off == 26) && (now >= emptied[s] + CANARY(c) || off == 28))
#define PROMISES(t, n, until) (promise[AT(t, n)] >= (off == 1 -> 1 : until + DRIFT))
#define CONFIRMS(t, n, until) (fresh[AT(t, n)] && (!unsure[AT(t, n)] || off == 29) && PROMISES(t, n, until))
#define HAS(t, s) (owner[s] == VALUE(t))
#if SERVERS > 4
#define SUM(F, t, x) (F(t, 0, x) + F(t, 1, x) + F(t, 2, x) + F(t, 3, x) + F(t, 4, x) + F(t, 5, x) + F(t, 6, x))
#else
#define SUM(F, t, x) (F(t, 0, x) + F(t, 1, x) + F(t, 2, x))
#endif

/* Server s, which is the client's n-th, executes a SET NX. */
#define MAY_SET(s, t) ((owner[s] == FREE || off == 5) && (!adopted[t] || off == 8))
inline set(s, c, t, n, until)
{
    owner[s] = VALUE(t);
    ends[s] = until;
    unsure[AT(t, n)] = absent[AT(t, n)];
    promise[AT(t, n)] = (COUNTS(c, s) && !over[t] -> until : 0)
}

/* One that it received over a connection which its client has closed: nobody reads the reply. */
#define MAY_SET_LATE(s) (owner[s] == FREE)
inline set_late(s, c, t, n, until)
{
    set(s, c, t, n, until);
    promise[AT(t, n)] = 0
}

/* It executes an extend, which finds the key (and does not shorten its time), or not. */
#define MAY_EXTEND(s, t) HAS(t, s)
inline extend(s, c, t, n, until)
{
    ends[s] = (until > ends[s] -> until : ends[s]);
    if
    :: COUNTS(c, s) && !over[t] -> promise[AT(t, n)] = ends[s]; fresh[AT(t, n)] = 1
    :: else
    fi
}
#define MAY_MISS(s, t) (!HAS(t, s))
inline miss(t, n)
{
    promise[AT(t, n)] = 0;
    fresh[AT(t, n)] = 0;
    absent[AT(t, n)] = HELD(t) || adopted[t]
}

/* It executes a release. */
#define MAY_DELETE(s, t) ((HAS(t, s) || off == 4) && (!HELD(t) || off == 9))
inline delete(s, t)
{
    owner[s] = FREE;
    ends[s] = 0;
    over[t] = 1
}

/* A client reports that it has the lock until then. */
#define MAY_WIN(c, t, until) \
    (mine[c] == 0 && (!over[t] || off == 11) && now < until && SUM(PROMISES, t, until) >= (off == 24 -> 1 : QUORUM))
inline win(c, t, until)
{
    mine[c] = t;
    lease[t] = until
}

/* That it still has it. */
#define MAY_STAY(c, t, until) \
    ((adopted[t] || HELD(t) || off == 2) && (until + SLACK >= lease[t] || off == 3) && \
        SUM(CONFIRMS, t, until) >= (adopted[t] && off == 8 -> 1 : QUORUM))
inline confirm(t, n)
{
    unsure[AT(t, n)] = unsure[AT(t, n)] && !fresh[AT(t, n)];
    fresh[AT(t, n)] = 0
}

/* It ends its lease. */
inline give_up(c, t)
{
    over[t] = 1;
    adopted[t] = 0;
    lease[t] = 0;
    mine[c] = 0
}

/* A server loses its keys: it restarts, or is emptied. */
inline lose(s)
{
    owner[s] = FREE;
    ends[s] = 0
}
