/* SPDX-License-Identifier: MIT */
/*
 * assumptions.pml - Redlock with a switch for each assumption: 3 servers (-DK=2: an even number), 2 clients.
 *
 * Requests and replies may be lost, and a SET may be executed late. One server restarts without its data, or all
 * are emptied. A may extend, put keys back, and extend again. OFF, a variable of pan's environment, is the number
 * of the assumption that does not hold; 0: all hold.
 *
 *     -DMAXT=n       ticks
 *     -DLOSSES=n     restarts and FLUSHALLs
 *     -DLATES=n      SETs that are executed late
 *     -DEXTENDS=0    without extends
 *     -DRELEASES=1   clients release, and B tries again
 *     -DSHORTEST     only what a short counterexample needs
 *
 * Claimed: no two clients work at once.
 */
#define CLIENT_RATE 101    /* A's clock loses a tick: it is slower, or the host was paused */
#define SERVER_CLOCK 102   /* a server's clock steps forward */
#define NO_EVICTION 103    /* a server deletes a key; a replica that lags and has the canary is the same */
#define ALL_CANARY 104     /* the clients use no canary */
#define ALL_GUARD 105      /* the clients use no restart guard */
#define ONE_GUARD 106      /* B uses no restart guard */
#define SAME_MAX_TTL 107   /* B's max_ttl is less than A's ttl */
#define SAME_SERVERS 108   /* B's first server is another: by its list, or its address was moved */
#define WORK_ENDS 109      /* A works on when its lease has ended */
#define UNIQUE_BYTES 110   /* both draw the same token */
#define NO_COPIES 111      /* A releases, and a copy of its handle (in a child process) counts on the lease */

#ifndef K
#define K 3
#endif
#ifdef SHORTEST /* no fault that the broken assumption does not need, no extends, and A is first */
#define MAY_BEGIN (me == 0 || mine[0])
#define LOSSES (off >= ALL_CANARY && off <= SAME_MAX_TTL)
#define LATES 0
#define EXTENDS 0
#else
#define MAY_BEGIN true
#endif
#ifndef MAXT
#define MAXT 3
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef LATES
#define LATES 1
#endif
#define SERVERS (K + 1) /* the last one is only B's, without SAME_SERVERS */
#define CLIENTS 2
#define TOKENS 4 /* A has 1, B has 2 and then 3 */
#define TIME byte
#define TTL 2
#define DRIFT 0
#define SLACK 0
#define START 10
#ifndef EXTENDS
#define EXTENDS (me == 0)
#endif
#ifndef RELEASES
#define RELEASES (off >= UNIQUE_BYTES)
#endif
#define VALUE(t) (off == UNIQUE_BYTES -> 1 : t)
#define GUARD(c) (off == ALL_GUARD || (off == ONE_GUARD && c) -> 0 : (off == SAME_MAX_TTL && c -> TTL - 1 : TTL))
#define CANARY(c) (off == ALL_CANARY -> 0 : TTL)
#define SERVER(c, n) (off == SAME_SERVERS && c && n == 0 -> K : n)
#include "steps.pml"

bool changed = false;   /* what an assumption excludes has happened */
byte losses = 0, slow = 0;
byte copy = 0;          /* until when a copy of A's handle counts on the lease */
byte late, late_at;     /* the token of a SET that is in flight, and its server */
byte lates = 0;

#define SAY(text) printf(text, now - START, 'A' + me)
#define SAY_AT(text) printf(text, now - START, 'A' + me, s)
#define WORKS_A ((mine[0] && (now < lease[mine[0]] + slow || off == WORK_ENDS)) || now < copy)
#define WORKS_B (mine[1] && HELD(mine[1]))
#define IN_USE (owner[0] != FREE || owner[1] != FREE || owner[2] != FREE)
#define EXCLUSION (!(WORKS_A && WORKS_B))

inline any_server()
{
    if
    :: owner[0] != FREE -> s = 0
    :: owner[1] != FREE -> s = 1
    :: owner[2] != FREE -> s = 2
    fi
}

inline tick()
{
    now++;
    s = 0;
    do
    :: s < SERVERS ->
        if
        :: owner[s] != FREE && ends[s] <= now -> owner[s] = FREE; ends[s] = 0; printf("%d  s%d: the key expires\n", now - START, s)
        :: else
        fi;
        restarted[s] = (restarted[s] + TTL > now -> restarted[s] : 0);
        emptied[s] = (emptied[s] + TTL > now -> emptied[s] : 0);
        promise[AT(1, s)] = (promise[AT(1, s)] > now -> promise[AT(1, s)] : 0);
        promise[AT(2, s)] = (promise[AT(2, s)] > now -> promise[AT(2, s)] : 0);
        promise[AT(3, s)] = (promise[AT(3, s)] > now -> promise[AT(3, s)] : 0);
        s++
    :: else -> break
    od;
    s = 0
}

active proctype environment()
{
    byte s, me;
end:
    do
    :: d_step { now < START + MAXT && IN_USE -> tick() }
    :: atomic {
        losses < LOSSES && IN_USE -> losses++;
        any_server();
        lose(s);
        restarted[s] = now;
        printf("%d  s%d restarts without its data\n", now - START, s);
        s = 0
    }
    :: d_step {
        losses < LOSSES && IN_USE -> losses++;
        s = 0;
        do
        :: s < SERVERS -> lose(s); emptied[s] = now; s++
        :: else -> break
        od;
        s = 0;
        printf("%d  FLUSHALL\n", now - START)
    }
    :: atomic {
        !changed && IN_USE && off >= CLIENT_RATE && off <= NO_EVICTION -> changed = true;
        if
        :: off == CLIENT_RATE -> slow = 1; printf("%d  A's clock loses a tick\n", now - START)
        :: off == SERVER_CLOCK -> any_server(); lose(s);
            printf("%d  s%d: its clock steps forward, its key expires\n", now - START, s)
        :: off == NO_EVICTION -> any_server(); lose(s); printf("%d  s%d evicts its key\n", now - START, s)
        fi;
        s = 0
    }
    :: d_step {
        late != 0 -> s = late_at;
        me = late > 1;
        if
        :: MAY_SET(s, late) -> set(s, me, late, s % K, now + TTL); SAY_AT("%d  %c -> s%d: a late SET, granted\n")
        :: else
        fi;
        late = 0;
        late_at = 0;
        me = 0;
        s = 0
    }
    :: now == START + MAXT -> break
    od
}

/* What no step depends on any more. */
inline forget()
{
    d_step {
        n = 0;
        do
        :: n < K -> promise[AT(t, n)] = 0; fresh[AT(t, n)] = 0; absent[AT(t, n)] = 0; unsure[AT(t, n)] = 0; n++
        :: else -> break
        od;
        n = 0;
        s = 0
    }
}

inline release_all()
{
    atomic {
        n = 0;
        SAY("%d  %c releases its lock, or gives up\n");
        if
        :: off == NO_COPIES && me == 0 && mine[0] ->
            copy = lease[t];
            SAY("%d  %c has a copy of the handle, which counts on the lease\n")
        :: else
        fi;
        give_up(me, t)
    }
    do
    :: n < K -> d_step {
        s = SERVER(me, n);
        n++;
        if
        :: MAY_DELETE(s, t) -> delete(s, t); SAY_AT("%d  %c -> s%d: release, done\n")
        :: else
        fi
    }
    :: n < K -> n++ /* lost */
    :: n == K -> n = 0; break
    od;
    forget()
}

inline ask_all()
{
    do
    :: atomic {
        n < K -> s = SERVER(me, n);
        if
        :: MAY_SET(s, t) -> set(s, me, t, n, now + TTL); SAY_AT("%d  %c -> s%d: SET, granted\n")
        :: lates < LATES -> lates++; late = t; late_at = s
        :: skip /* refused, or lost */
        fi;
        n++
    }
    :: n == K -> n = 0; break
    od
}

/* The end of the longest lease that it may count on; 0: none. */
inline longest(may)
{
    n = 0;
    until = 0;
    do
    :: n < K ->
        if
        :: promise[AT(t, n)] > until && may -> until = promise[AT(t, n)]
        :: else
        fi;
        n++
    :: else -> break
    od;
    n = 0
}

/* Requests of an extend reach the servers at the same moment. */
inline extend_all()
{
    atomic {
        do
        :: n < K ->
            s = SERVER(me, n);
            if
            :: MAY_EXTEND(s, t) -> extend(s, me, t, n, now + TTL); SAY_AT("%d  %c -> s%d: extend, done\n")
            :: MAY_MISS(s, t) -> miss(t, n)
            :: skip
            fi;
            n++
        :: else -> break
        od;
        longest(MAY_STAY(me, t, promise[AT(t, n)]));
        if
        :: until -> lease[t] = until;
            adopted[t] = 0;
            do
            :: n < K -> confirm(t, n); n++
            :: else -> n = 0; break
            od;
            SAY("%d  %c has extended\n");
            assert(EXCLUSION);
            until = 0
        :: else
        fi
    }
}

/* What an extend found absent is put back. */
inline put_back()
{
    atomic {
        do
        :: n < K ->
            s = SERVER(me, n);
            if
            :: absent[AT(t, n)] && MAY_SET(s, t) ->
                set(s, me, t, n, now + TTL);
                SAY_AT("%d  %c -> s%d: SET, the key is put back\n")
            :: skip
            fi;
            absent[AT(t, n)] = 0;
            n++
        :: else -> n = 0; break
        od
    }
}

proctype client(byte me)
{
    byte n, s, t, until;
    t = 1 + me;
    MAY_BEGIN;
again:
    ask_all();
    atomic {
        longest(MAY_WIN(me, t, promise[AT(t, n)]));
        if
        :: until -> win(me, t, until); SAY("%d  %c has the lock\n"); assert(EXCLUSION); until = 0
        :: else
        fi
    };
    if
    :: EXTENDS && mine[me] -> extend_all(); put_back(); extend_all()
    :: skip
    fi;
    if
    :: RELEASES -> release_all()
    :: goto done /* it stops, or its releases are lost */
    fi;
    if
    :: t == 2 -> t = 3; goto again
    :: else
    fi;
done:
    forget()
}

init
{
    atomic {
        c_code { now.off = getenv("OFF") ? atoi(getenv("OFF")) : 0; };
        now = START;
        run client(0);
        run client(1)
    }
}
