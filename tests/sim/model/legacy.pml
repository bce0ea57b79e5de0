/* SPDX-License-Identifier: MIT */
/*
 * legacy.pml - the lock by SETNX with a deadline as its value, and its variants.
 *
 * One server, N clients, one common clock in ticks. A client may stop between any two steps, so the
 * time it read may be old when the server executes the command. The key starts with the expired value of a
 * holder that died.
 *
 *   how an expired lock is taken over:
 *     -DDELSETNX      DEL, then SETNX
 *     -DGETSET        GETSET, won if the old value is expired; the deadline was computed at an earlier step
 *     -DCAS           compare-and-set with the value that was found expired
 *   how it is released:
 *     (default)       never: it expires
 *     -DPLAINDEL      read the clock, then DEL
 *     -DCAD           compare-and-delete
 *   -DPX              client 0 uses SET NX PX: the server expires the key; its value is not a number
 *                     that a legacy client may take over
 *   -DTAKEPX          and the legacy clients read such a value as an expired number, as atoi does
 *
 * Claimed: no two clients count on a lease at once.
 */
#ifndef N
#define N 3
#endif
#ifndef MAXT
#define MAXT 5
#endif
#ifndef TRIES
#define TRIES 2
#endif
#define TTL 2
#define NONE 0
#define OPAQUE 100 /* values of clients with plain locks: 100 + client */

byte now = 1;
byte key = 1;   /* its deadline; NONE: no such key */
byte gone = 0;  /* when the server expires it; 0: never */
bool has[N];
byte lease[N];

#define HOLDS(i) (has[i] && now < lease[i])
#if N == 2
#define EXCLUSION (!(HOLDS(0) && HOLDS(1)))
#else
#define EXCLUSION (!(HOLDS(0) && HOLDS(1)) && !(HOLDS(0) && HOLDS(2)) && !(HOLDS(1) && HOLDS(2)))
#endif

active proctype clock()
{
    do
    :: d_step {
        now < MAXT -> now++;
        if
        :: gone != 0 && gone <= now -> key = NONE; gone = 0
        :: else
        fi;
        assert(EXCLUSION)
    }
    :: now == MAXT -> break
    od
}

inline won(value)
{
    has[me] = true;
    lease[me] = value;
    assert(EXCLUSION)
}

#ifdef TAKEPX
#define EXPIRED(v) (v != NONE && (v <= now || v >= OPAQUE))
#else
#define EXPIRED(v) (v != NONE && v <= now)
#endif

inline give_back()
{
#if defined(PLAINDEL)
    if
    :: has[me] && now < lease[me] -> /* it reads the clock, and may be stopped here */
        d_step { key = NONE; gone = 0; has[me] = false }
    :: else
    fi
#elif defined(CAD)
    if
    :: has[me] -> d_step {
        if
        :: key == mine -> key = NONE; gone = 0
        :: else
        fi;
        has[me] = false
    }
    :: else
    fi
#else
    skip
#endif
}

#ifdef PX
proctype px_client(byte me)
{
    byte mine, start, tries = 0;
    do
    :: tries < TRIES ->
        tries++;
        d_step { has[me] = false; start = now; mine = OPAQUE + me }
        if
        :: d_step { key == NONE -> key = mine; gone = now + TTL } /* SET NX PX; the reply is delayed */
            if
            :: atomic { now < start + TTL -> won(start + TTL) }
            :: else
            fi
        :: key != NONE -> skip
        fi;
        if
        :: give_back()
        :: skip
        fi
    :: break
    od
}
#endif

proctype client(byte me)
{
    byte seen, mine, tries = 0;
    do
    :: tries < TRIES ->
        tries++;
        d_step { has[me] = false; mine = now + TTL } /* the clock is read */
        if
        :: d_step { key == NONE -> key = mine; gone = 0; won(mine) } /* SETNX; executed later */
        :: d_step { key != NONE -> seen = key } /* refused, and GET */
            if
            :: !EXPIRED(seen) -> skip
            :: EXPIRED(seen) ->
#if defined(DELSETNX)
                d_step { key = NONE; gone = 0 }
                if
                :: d_step { key == NONE -> mine = now + TTL; key = mine; won(mine) }
                :: key != NONE -> skip
                fi
#elif defined(GETSET)
                mine = now + TTL;
                d_step { seen = key; key = mine; gone = 0 } /* executed later than computed */
                if
                :: atomic { seen == NONE || EXPIRED(seen) -> won(mine) }
                :: else
                fi
#else
                mine = now + TTL;
                if
                :: d_step { key == seen -> key = mine; gone = 0; won(mine) } /* executed later than computed */
                :: key != seen -> skip
                fi
#endif
            fi
        fi;
        if
        :: give_back()
        :: skip
        fi
    :: break
    od
}

init
{
    atomic {
#ifdef PX
        key = NONE;
        run px_client(0);
#else
        run client(0);
#endif
        run client(1);
#if N > 2
        run client(2);
#endif
    }
}
