/* SPDX-License-Identifier: MIT */
/*
 * redlock.pml - Redlock: 3 servers, 2 clients, one common clock in ticks.
 *
 * A client may stop between any two steps; each request may be lost, be executed with its reply lost, or
 * (-DLATE) be executed after the client's timeout. Releases may be lost too.
 *
 *     -DCRASH=n      n crashes, each losing the server's memory
 *     -DDELAYED      a crashed server replies again only after more than a ttl
 *     -DGUARD        it replies at once, and its grants do not count until more than a ttl has passed
 *                    (the restart guard: it gets all requests, and its votes do not count)
 *     -DGUARDSHORT   the same with a guard one tick too short
 *     -DJUMP         a server's clock jumps ahead by a ttl, once
 *     -DFROMREPLY    validity counted from the replies instead of from before the requests
 *     -DNOTOKEN      a release deletes the key whatever its value
 *     -DHALF         one grant is taken for a majority
 *     -DEXTEND       a holder extends once: by a majority, inside the old validity
 *     -DREVIVE       and takes a late extend for one in time, and restores missing keys
 *     -DNORELEASE    clients hold to the end: nothing is released early
 *     -DTRIES=n      attempts of each client
 *
 * Claimed: no two clients count on a lease at once.
 */
#define K 3
#define TTL 2
#ifndef MAXT
#define MAXT 4
#endif
#ifndef TRIES
#define TRIES 1
#endif
#ifndef CRASH
#define CRASH 0
#endif
#ifdef HALF
#define QUORUM 1
#else
#define QUORUM 2
#endif
#ifdef GUARDSHORT
#define GUARD
#define GUARD_TICKS (TTL - 1)
#else
#define GUARD_TICKS (TTL + 1)
#endif
#define FREE 0

byte now = 0, crashes = 0;
bool jumped = false;
byte owner[K]; /* FREE or 1 + client */
byte ends[K];
byte down[K];  /* no reply before */
byte quiet[K]; /* grants count from here on */
bool has[2];
byte lease[2];
#ifdef EXTEND
byte winner; /* the last client to acquire: no other lease comes between an extend and its acquire */
#endif
#ifdef LATE
byte pending[K]; /* a SET of 1 + client that is still in flight */
#endif

#define HOLDS(i) (has[i] && now < lease[i])
#define EXCLUSION (!(HOLDS(0) && HOLDS(1)))
#define UP(n) (down[n] <= now)
#define COUNTS(n) (quiet[n] <= now)

inline any_server(n)
{
    if
    :: n = 0
    :: n = 1
    :: n = 2
    fi
}

inline expire(n)
{
    if
    :: owner[n] != FREE && ends[n] <= now -> owner[n] = FREE; ends[n] = 0
    :: else
    fi
}

active proctype environment()
{
    byte n;
    do
    :: d_step {
        now < MAXT -> now++;
        expire(0);
        expire(1);
        expire(2);
        assert(EXCLUSION)
    }
    :: atomic {
        crashes < CRASH -> any_server(n);
        crashes++;
        owner[n] = FREE;
        ends[n] = 0;
#ifdef DELAYED
        down[n] = now + TTL + 1;
#endif
#ifdef GUARD
        quiet[n] = now + GUARD_TICKS;
#endif
        n = 0
    }
#ifdef JUMP
    :: atomic {
        !jumped -> jumped = true;
        any_server(n);
        if
        :: owner[n] != FREE -> ends[n] = (ends[n] > now + TTL -> ends[n] - TTL : now); expire(n)
        :: else
        fi;
        n = 0
    }
#endif
#ifdef LATE
    :: atomic {
        pending[0] != 0 || pending[1] != 0 || pending[2] != 0 ->
        if
        :: pending[0] != 0 -> n = 0
        :: pending[1] != 0 -> n = 1
        :: pending[2] != 0 -> n = 2
        fi;
        if
        :: UP(n) && owner[n] == FREE -> owner[n] = pending[n]; ends[n] = now + TTL
        :: else
        fi;
        pending[n] = 0;
        n = 0
    }
#endif
    :: now == MAXT -> break
    od
}

inline release_all()
{
    atomic { n = 0; has[me] = false; lease[me] = 0 }
    do
    :: n < K -> d_step {
        if
#ifdef NOTOKEN
        :: UP(n) -> owner[n] = FREE; ends[n] = 0
#else
        :: UP(n) && owner[n] == 1 + me -> owner[n] = FREE; ends[n] = 0
#endif
        :: else
        fi;
        n++
    }
    :: n < K -> n++ /* lost */
    :: n == K -> break
    od
}

inline extend()
{
    atomic { start = now; got = 0; n = 0 }
    do
    :: n < K ->
        if
        :: d_step {
            UP(n) && owner[n] == 1 + me -> ends[n] = now + TTL;
            if
            :: COUNTS(n) -> got++
            :: else
            fi;
            n++
        }
#ifdef REVIVE
        :: d_step { UP(n) && owner[n] == FREE -> owner[n] = 1 + me; ends[n] = now + TTL; got++; n++ }
#endif
        :: n++
        fi
    :: n == K -> break
    od;
    if
#ifdef REVIVE
    :: atomic { got >= QUORUM && now < start + TTL -> lease[me] = start + TTL; assert(EXCLUSION && winner == 1 + me) }
#else
    :: atomic { got >= QUORUM && now < lease[me] -> lease[me] = start + TTL; assert(EXCLUSION && winner == 1 + me) }
#endif
    :: else
    fi
}

proctype client(byte me)
{
    byte n, got, start, tries = 0;
    do
    :: tries < TRIES ->
        atomic { tries++; start = now; got = 0; n = 0; has[me] = false; lease[me] = 0 }
        do
        :: n < K ->
            if
            :: d_step {
                UP(n) && owner[n] == FREE -> owner[n] = 1 + me;
                ends[n] = now + TTL;
                if
                :: COUNTS(n) -> got++
                :: else
                fi;
                n++
            }
            :: d_step { UP(n) && owner[n] != FREE -> n++ } /* refused */
            :: n++ /* lost before it was executed */
            :: d_step { UP(n) && owner[n] == FREE -> owner[n] = 1 + me; ends[n] = now + TTL; n++ } /* after */
#ifdef LATE
            :: d_step { pending[n] == 0 -> pending[n] = 1 + me; n++ }
#endif
            fi
        :: n == K -> break
        od;
        if
#ifdef FROMREPLY
        :: atomic { got >= QUORUM -> has[me] = true; lease[me] = now + TTL; assert(EXCLUSION) }
#else
        :: atomic {
            got >= QUORUM && now < start + TTL -> has[me] = true;
            lease[me] = start + TTL;
#ifdef EXTEND
            winner = 1 + me;
#endif
            assert(EXCLUSION)
        }
#endif
        :: else -> skip
        fi;
#ifdef EXTEND
        if
        :: has[me] -> extend()
        :: skip
        fi;
#endif
#ifndef NORELEASE
        if
        :: release_all()
        :: skip /* died, or its releases are lost */
        fi
#endif
    :: break
    od
}

init
{
    atomic {
        run client(0);
        run client(1)
    }
}
