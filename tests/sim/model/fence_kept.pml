/* SPDX-License-Identifier: MIT */
/*
 * fence_kept.pml - how many servers may lose their counters before a fencing token falls (DESIGN section 9).
 *
 * One holder after the other; concurrent clients are in fence.pml. Each holder takes the greatest count of
 * its votes and raises others to it until a majority holds it; then, while it holds the lock, any others.
 * Before the next holder some servers lose their counters, or restore an older one. Asserted: if h servers
 * held the last token, and no more than h + q - K - 1 of them lost it, the next is greater. Beyond that it
 * breaks: -DONEMORE (one more loss), -DMAJORITY (no majority lost its counters). -DALL: all servers are
 * raised in the end, so any minority may lose it; but not if none is raised after the majority (-DNOLATE).
 */
#ifndef K
#define K 3
#endif
#define QUORUM (K / 2 + 1)
#ifndef HOLDERS
#define HOLDERS 3 /* one after the other */
#endif
#ifndef LOSSES
#define LOSSES 2
#endif

byte count[K];
bit lost[K];  /* it held the last token, and lost it */
bit had[K];   /* it held the last token */
byte last = 0, h, gone, losses = 0;

inline forget_last()
{
    d_step {
        i = 0;
        do
        :: i < K -> had[i] = (count[i] >= last); lost[i] = 0; i++
        :: else -> break
        od
    }
}

inline lose()
{
    do
    :: losses < LOSSES ->
        losses++;
        if
        :: i = 0
        :: i = 1
        :: i = 2
#if K > 3
        :: i = 3
#endif
#if K > 4
        :: i = 4
#endif
        fi;
        if
        :: count[i] > 0 -> count[i] = 0
        :: count[i] > 1 -> count[i] = count[i] - 1 /* an older one */
        :: else
        fi;
        if
        :: had[i] && count[i] < last -> lost[i] = 1
        :: else
        fi
    :: break
    od
}

inline vote(n)
{
    if
    :: count[n]++; voted[n] = 1; got++; if :: count[n] > highest -> highest = count[n] :: else fi
    :: voted[n] = 0
    fi
}

active proctype world()
{
    byte i, got, highest, written, holder = 0;
    bit voted[K];
    byte n;
    do
    :: holder < HOLDERS ->
        holder++;
        lose();
        /* a majority grants, or the try only counts further */
        got = 0;
        highest = 0;
        n = 0;
        do
        :: n < K -> vote(n); n++
        :: else -> break
        od;
        if
        :: got >= QUORUM ->
            n = 0;
            written = 0;
            do
            :: n < K ->
                if
                :: voted[n] && count[n] == highest -> written++
                :: voted[n] && count[n] < highest ->
                    if
                    :: count[n] = highest; written++
                    :: skip /* no reply, or not needed */
                    fi
                :: !voted[n] -> skip
                fi;
                n++
            :: else -> break
            od;
            if
            :: written >= QUORUM ->
                d_step {
                    h = 0;
                    gone = 0;
                    i = 0;
                    do
                    :: i < K -> h = h + had[i]; gone = gone + lost[i]; i++
                    :: else -> break
                    od
                }
#if defined(ALL)
                assert(gone > K - QUORUM || highest > last);
#elif defined(MAJORITY)
                assert(gone >= QUORUM || highest > last);
#elif defined(ONEMORE)
                assert(gone + K > h + QUORUM || highest > last);
#else
                assert(gone + K + 1 > h + QUORUM || highest > last);
#endif
                last = highest;
#ifndef NOLATE
                n = 0; /* servers that granted late, or did not reply */
                do
                :: n < K ->
                    if
                    :: count[n] < last -> count[n] = last
                    :: count[n] >= last
#ifndef ALL
                    :: skip
#endif
                    fi;
                    n++
                :: else -> break
                od;
#endif
                forget_last()
            :: else
            fi
        :: else
        fi
    :: break
    od
}
