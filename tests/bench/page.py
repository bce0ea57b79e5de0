#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""page.py [--update] JSON FOLDER - write the page of `make bench` to FOLDER, and its charts to FOLDER/bench/.

--update: for the page that is committed. The run must be a full one, of a machine that did nothing else.
"""
import json
import os
import statistics
import sys
import textwrap

from charts import bars, lines, short

NAME = 'BENCH' + '.md'
OURS = 'libredlock'
HINT = 'libredlock, wake hint'
MOST_BUSY = 0.05
MEASURED = '''**How it is measured.** The servers and all clients run on one CPU. So p50 and p99 are the work of client and
server, and do not depend on which CPU wakes up. Each client is one long-running program. Rounds of all clients are interleaved, and their order
changes. A cycle is one acquire and one release of a free lock, with a ttl of 30 s: two requests, SET NX PX and a script that
deletes the key. hiredis sends them from a small program of ours. libredlock sends a PTTL with its SET. A ratio is relative to the
*floor* of its round: raw sockets, the same two requests, replies not checked. Figures are medians of the rounds, with quartiles in
parentheses. The restart guard of libredlock is off: it would refuse these servers, which have just started. No peer has such a guard. All other options
are the defaults. With the *wake hint*, a release wakes one client that waits.'''
FAULTS = '''A stalled server is stopped by a signal, and one that refuses is killed, both after the clients have connected. A
black-holed server never answers, from the start. *x healthy* is the ratio to the same client without the fault in the same round.
It may be below 1, because a server that is down uses none of the CPU. *No answer*: a cycle did not end within 5 s (`QUICK=1`:
2 s), and the client was killed. *Keys left* counts servers that still have the key of the lock when the fault is over; 0 is
right, except after a client was killed.'''
WAITING = '''Each client holds the lock for 1 ms, and pauses for 0 to 2 ms. Peers wait as they do by default. libredlock waits with
pauses that grow (`retry_ms` is 50), or with the wake hint. Fairness is Jain's index: 1 is equal shares. Commands are those that the
first server executed for each acquisition. CPU is for each acquisition, too, and includes the connecting.
A round lasts about 3 s. A wait that its end cuts off counts up to then. A p50 below the 1 ms of a hold means that one client
takes the lock again and again, while the others sleep between two tries.'''
# Why a peer is better, where that is known.
TIMED = 'Each receive of libredlock has a time limit, for which the kernel sets a timer; hiredis waits without a limit.'
TRIES = 'Each try of libredlock is SET and PTTL, and its clients try more often: they also get the lock more often.'
WITH_PTTL = 'libredlock sends a PTTL with each SET, which tells a client that waits when the lock expires.'
ONE_AGAIN = 'A hold lasts 1 ms: if p50 is shorter, one client takes the lock again and again (see its fairness).'
INTEGER = ('The parser of ioredis reads a number in one loop. If the input ends early, it starts again. That of libredlock can go on '
           'after any byte, and checks the range.')
# Measured before; neither Debian nor npm has them.
EARLIER = [('redsync 4.9.4 (Go)', 2.39, 2.3, '100 %', 'no answer; 102 ms with a read timeout', '31, 99', '9.4 MB'),
           ('redlock-cpp f9f5618', 1.60, 1.73, '100 %', 'no answer', '62, 206', '3.8 MB')]


class Page:
    def __init__(self, figures, folder):
        self.figures, self.folder = figures, folder
        self.sections = figures['sections']
        self.text, self.wins = [], []
        os.makedirs(os.path.join(folder, 'bench'), exist_ok=True)

    def say(self, *paragraphs):
        for paragraph in paragraphs:
            self.text += textwrap.wrap(paragraph, 120, break_long_words=False, break_on_hyphens=False) + ['']

    def table(self, heads, rows):
        self.text.append('| ' + ' | '.join(heads) + ' |')
        self.text.append('|' + '|'.join(['---'] + ['---:'] * (len(heads) - 1)) + '|')
        self.text += ['| ' + ' | '.join(str(cell) for cell in row) + ' |' for row in rows]
        self.text.append('')

    def chart(self, name, title, svg):
        with open(os.path.join(self.folder, 'bench', f'{name}.svg'), 'w') as out:
            out.write(svg)
        self.say(f'![{title}](bench/{name}.svg)')

    def compare(self, what, values, unit, more_is_better=False, why=''):
        """Keep where the best peer's figure is better than ours by more than 2 %, and why."""
        values = {name: value for name, value in values.items() if value is not None}
        own = [values[name] for name in values if name.startswith(OURS)]
        if not own:
            return
        best = max(own) if more_is_better else min(own)
        peers = {name: value for name, value in values.items() if name != 'floor' and not name.startswith(OURS)}
        if not peers:
            return
        name = (max if more_is_better else min)(peers, key=peers.get)
        if peers[name] > best * 1.02 if more_is_better else peers[name] < best * 0.98:
            self.wins.append(f'{what}: {name} {short(peers[name])}{unit}, libredlock {short(best)}{unit}. {why}'.rstrip())

    def write(self):
        with open(os.path.join(self.folder, NAME), 'w') as out:
            out.write('\n'.join(self.text).rstrip('\n') + '\n')


def spread(quartiles):
    lower, median, upper = quartiles
    return f'{short(median)} ({short(lower)} to {short(upper)})'


def middle(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return statistics.median(values) if values else None


# ---------------------------------------------------------------- the parts

def empty_call(page):
    """What a system call costs here, and what follows where it costs ten times as much."""
    us = page.figures['machine']['empty_call_us']
    calls = {name: row['calls'] for name, row in page.sections.get('healthy 1', {}).items() if row['calls'] is not None}
    text = f'An empty system call takes {us:.2f} us here.'
    if OURS not in calls:
        return text
    most = max(calls, key=calls.get)
    few = [name for name in calls if name != 'floor' and calls[name] <= calls[OURS] and name != most]
    more = [f'{name} {9 * us * calls[name]:.1f} us ({calls[name]:.0f} calls)' for name in [*few, most]]
    return (f'{text} On a machine where it takes ten times as long, clients with fewer calls gain. A cycle on one server then '
            f'takes longer by this much: {"; ".join(more)}.')


def begin(page):
    m = page.figures['machine']
    page.text = ['<!-- SPDX-License-Identifier: MIT -->', '<!-- Written by make bench-update: not edited by hand. -->', '']
    page.say('# Benchmarks',
             'libredlock and other clients, measured in one run on one machine. `make bench` measures on yours, and writes the '
             'same page to build/bench/. `make deps STAGE=bench` installs what it needs; `make bench QUICK=1` takes less than 3 minutes.',
             f'{m["date"]}. {m["cpu"]}, {m["cpus"]} CPUs. {m["system"]}, Linux {m["kernel"]}. Redis {m["redis"]}. {m["compiler"]}. '
             f'Node.js {m["node"] or "none"}, ioredis {m["ioredis"] or "none"}. Python {m["python"]}. The run took '
             f'{m["minutes"]:.0f} minutes. Other processes used {100 * m["others"]:.0f} % of the CPU time.',
             empty_call(page))
    if page.figures['quick']:
        page.say('**This was a quick run (`QUICK=1`): it has too few rounds for a comparison.**')
    if m['others'] > MOST_BUSY:
        page.say('**The machine was busy with other work: these figures are not comparable.**')
    kinds = page.figures['kinds']
    page.table(['client', 'version'], [(name, kind['version'] if kind['why_not'] is None else f'not run: {kind["why_not"]}')
                                       for name, kind in kinds.items()])
    for section, client in page.figures['broken'].items():
        page.say(f'**Not measured: {section}. {client} did not answer.**')
    page.say(MEASURED)


def wins(page):
    page.say('## Where a peer is better')
    if not page.wins:
        return page.say('Nowhere in this run.')
    page.say('Here the best peer is compared with the best variant of libredlock. Where half of the clients are a peer\'s, it is '
             'compared with each variant. This list has times, rates, system calls, commands and memory. It leaves out the CPU time '
             'of clients that wait, the longest waits beside a peer\'s clients, and differences below 2 %.')
    for win in page.wins:
        page.text += textwrap.wrap(f'- {win}', 120, subsequent_indent='  ', break_on_hyphens=False)
    page.text.append('')


def healthy(page, n):
    rows = page.sections.get(f'healthy {n}')
    if not rows:
        return
    servers = 'one server' if n == 1 else 'five servers'
    page.say(f'## Acquire and release on {servers}')
    title = f'Client CPU time of acquire and release on {servers}, floor = 1'
    page.chart(f'cpu_{n}', title, bars(title, 'x floor', {name: row['cpu_us ratio'] for name, row in rows.items()}))
    page.table(['client', 'CPU, us', 'CPU, x floor', 'p50, us', 'p50, x floor', 'p99, us', 'system calls', 'allocations',
                'memory, MB'],
               [(name + (f' ({row["failed"]} cycles failed)' if row['failed'] else ''), short(row['cpu_us'][1]),
                 spread(row['cpu_us ratio']), short(row['p50_us'][1]), spread(row['p50_us ratio']), short(row['p99_us'][1]),
                 '' if row['calls'] is None else f'{row["calls"]:.1f}',
                 '' if row.get('allocations') is None else f'{row["allocations"]:.0f}', short(row['memory_kb'] / 1024))
                for name, row in rows.items()])
    page.say('CPU is the time of the client, in user and system mode. System calls and allocations are those of a cycle; '
             'allocations are counted for clients in C. Memory is the most that was resident.')
    for key, what, unit in (('cpu_us', 'client CPU', ' us'), ('p50_us', 'p50', ' us'), ('p99_us', 'p99', ' us')):
        page.compare(f'{what}, {servers}', {name: row[key][1] for name, row in rows.items()}, unit, why=TIMED if n == 1 else '')
    for key, what in (('calls', 'system calls'), ('memory_kb', 'memory in KB')):
        page.compare(f'{what}, {servers}', {name: row[key] for name, row in rows.items()}, '')


def growth(page):
    rows = page.sections.get('growth')
    if not rows:
        return
    page.say('## One to seven servers')
    names = list(dict.fromkeys(name for each in rows.values() for name in each))
    series = {name: [(int(n), each[name]['cpu_us'][1]) for n, each in rows.items() if name in each] for name in names}
    title = 'Client CPU time of acquire and release on N servers'
    page.chart('servers', title, lines(title, 'servers', 'us', series, [int(n) for n in rows]))
    page.table(['CPU, us', *(f'N = {n}' for n in rows)],
               [(name, *(short(each[name]['cpu_us'][1]) if name in each else '' for each in rows.values())) for name in names])
    page.say('These rounds are shorter than those above. In them, the clients for Node.js are slower.')
    for n, each in rows.items():
        page.compare(f'client CPU, N = {n}', {name: row['cpu_us'][1] for name, row in each.items()}, ' us')


def round_trips(page):
    rows = page.sections.get('round trips')
    if not rows:
        return
    page.say('## Five servers, far away',
             'A proxy delays each direction by half of the round trip. It adds a time of its own, which the floor also has. '
             'No client can be faster than two round trips: one to acquire and one to release.')
    names = list(next(iter(rows.values())))
    page.table(['client', *(f'round trip {ms}: {what}' for ms in rows for what in ('p50, ms', 'x floor', 'p99, ms'))],
               [(name, *(cell for each in rows.values() for cell in
                         (short(each[name]['p50_us'][1] / 1e3), spread(each[name]['p50_us ratio']),
                          short(each[name]['p99_us'][1] / 1e3)))) for name in names])
    for ms, each in rows.items():
        page.compare(f'p50 at {ms}', {name: row['p50_us'][1] / 1e3 for name, row in each.items()}, ' ms')


def faults(page):
    rows = page.sections.get('faults')
    if not rows:
        return
    page.say('## Five servers, some of them with faults',
             FAULTS)
    for fault, kinds in rows.items():
        cells = []
        for name, rounds in kinds.items():
            good = [row for row in rounds if 'no_answer' not in row]
            left = max(row['left'] for row in rounds)
            if len(good) < len(rounds):
                cells.append((name, f'no answer in {len(rounds) - len(good)} of {len(rounds)} rounds', '', '', '', '', left))
                continue
            cells.append((name, f'{100 * middle(good, "acquired"):.1f} %',
                          *(cell for p in ('p50_us', 'p99_us') for cell in
                            (short(middle(good, p)), f'{statistics.median(row[p] / row[f"well_{p}"] for row in good):.2f}')), left))
        page.say(f'### {fault} of 5')
        page.table(['client', 'acquired', 'p50, us', 'p50, x healthy', 'p99, us', 'p99, x healthy', 'keys left'], cells)
        for p in 'p50_us', 'p99_us':
            page.compare(f'{p[:3]}, {fault} of 5', {name: middle(rounds, p) for name, rounds in kinds.items()}, ' us')


def contention(page):
    if 'contention 1' not in page.sections:
        return
    page.say('## Clients that wait for one lock',
             WAITING)
    for n in '1', '5':
        rows = page.sections.get(f'contention {n}')
        if not rows:
            continue
        servers = 'one server' if n == '1' else 'five servers'
        for waiters in rows if n == '5' else [each for each in rows if each in ('8', '64')]:
            page.say(f'### {waiters} clients, {servers}')
            page.table(['client', 'acquisitions/s', 'fairness', 'p50 wait, ms', 'p99 wait, ms', 'longest, ms', 'commands', 'CPU, us'],
                       [(name, *(short(middle(rounds, key)) for key in
                                 ('rate', 'jain', 'p50_ms', 'p99_ms', 'longest_ms', 'commands')),
                         short(statistics.median(row['cpu_us'] / max(1, row['acquired']) for row in rounds)))
                        for name, rounds in rows[waiters].items()])
            for key, what, unit, more, why in (
                    ('rate', 'acquisitions per second', '', True, ''), ('jain', 'fairness', '', True, ''),
                    ('p50_ms', 'p50 wait', ' ms', False, ONE_AGAIN), ('p99_ms', 'p99 wait', ' ms', False, ''),
                    ('longest_ms', 'longest wait', ' ms', False, ''), ('commands', 'commands for each acquisition', '', False, TRIES)):
                page.compare(f'{what}, {waiters} clients, {servers}',
                             {name: middle(rounds, key) for name, rounds in rows[waiters].items()}, unit, more, why)
    rows = page.sections.get('contention 1', {})
    if len(rows) > 1:
        for key, title, unit in (('rate', 'Acquisitions per second, while clients wait for one lock', 'per s'),
                                 ('longest_ms', 'The longest wait, while clients wait for one lock', 'ms')):
            series = {name: [(int(w), max(0.01, middle(each[name], key))) for w, each in rows.items()]
                      for name in next(iter(rows.values()))}
            page.chart(f'waiters_{key.split("_")[0]}', title, lines(title, 'clients', unit, series, [int(w) for w in rows]))


def mixed(page):
    rows = page.sections.get('mixed')
    if not rows:
        return
    page.say('## Half libredlock, half a peer',
             'Both want the same lock on one server. A peer sends no wake hint when it releases. A client of libredlock with the '
             'hint sees that the lock changed hands without a hint. It then retries as often as one without, until a hint comes.')
    for waiters, kinds in rows.items():
        page.say(f'### {waiters} clients, half of each')
        cells = []
        for name, ways in kinds.items():
            for own, rounds in ways.items():
                ours, theirs = [row[own] for row in rounds], [row[name] for row in rounds]
                cells.append((f'{name}, with {own}', *(short(middle(each, key)) for key in ('rate', 'longest_ms')
                                                       for each in (ours, theirs))))
                page.compare(f'acquisitions per second, {waiters} clients, {own} mixed with {name}',
                             {OURS: middle(ours, 'rate'), name: middle(theirs, 'rate')}, '', True)
        page.table(['clients', 'libredlock/s', 'peer/s', 'libredlock: longest, ms', 'peer: longest, ms'], cells)


def many_locks(page):
    rows = page.sections.get('many locks')
    if not rows:
        return
    page.say('## Many locks of one client',
             'The client acquires all of them, one after the other, and then releases them. All go over one connection to '
             'each server. With few locks a round is short, and its figures vary more. Memory is what the client takes from the '
             'system in the round. libredlock takes none: the program gave it memory for its locks before.')
    for n, counts in rows.items():
        servers = 'one connection' if n == '1' else 'five connections'
        names = list(next(iter(counts.values())))

        def each_us(name, count):
            rounds = counts[count][name]
            return statistics.median((row['acquire_us'] + row['release_us']) / row['locks'] for row in rounds)
        title = f'Time for each lock over {servers}: acquire and release'
        page.chart(f'locks_{n}', title, lines(title, 'locks held', 'us',
                                              {name: [(int(c), each_us(name, c)) for c in counts] for name in names},
                                              [int(c) for c in counts]))
        most = list(counts)[-1]
        page.table(['client', *(f'us each, of {int(c):,}' for c in counts), f'memory for {int(most):,}, KB'],
                   [(name, *(short(each_us(name, c)) for c in counts), short(middle(counts[most][name], 'memory_kb')))
                    for name in names])
        for count in counts:
            page.compare(f'time for each lock of {int(count):,}, {servers}', {name: each_us(name, count) for name in names}, ' us',
                         why=WITH_PTTL if n == '1' else '')


def commands(page):
    rows = page.sections.get('commands')
    if not rows:
        return
    page.say('## The command',
             '`redlock run LOCK -- true` beside `flock FILE true`: the time from the start of the process to its end, as median and '
             'quartiles. `redlock` also starts a process that stops the command if `redlock` dies. *-n* does not wait for a lock '
             'that is held. *No lock* is `true` alone.')
    page.table(['lock', 'program', 'us', 'ratio to flock'],
               [(what, name, spread(row['us']), spread(row['ratio'])) for what, names in rows.items() for name, row in names.items()])


def parser(page):
    section = page.sections.get('parser')
    if not section or not section['time']:
        return
    page.say('## Parser and writer',
             'Millions of messages a second, by one CPU, in feeds of 16 KB. *ioredis* is its parser, redis-parser. libredlock '
             'passes over the bytes of a bulk string and copies nothing. *encode* writes one command, *lock+unlock* both commands of a '
             'lock. *.64* writes in pieces of 64 bytes. *line.1k* reads a line that comes byte by byte. Instructions are those of each '
             'message. valgrind counts them on a simulated CPU, so they cannot be divided by the times; it cannot count those of '
             'Node.js.')
    cells = []
    for name, row in section['time'].items():
        if name.endswith('.byte') or name.endswith('.single'):
            continue
        counted = section['instructions'].get(name, {})
        cells.append((name.removesuffix('.16k'), *(short(1e3 / row[key]) if row.get(key) else '' for key in
                                                   ('ours_ns', 'hiredis_ns', 'ioredis_ns')),
                      short(counted.get('ours')), short(counted.get('hiredis'))))
        page.compare(f'millions of messages a second, {name.removesuffix(".16k")}',
                     {who: 1e3 / row[key] for who, key in ((OURS, 'ours_ns'), ('hiredis', 'hiredis_ns'), ('ioredis', 'ioredis_ns'))
                      if row.get(key)}, '', True, INTEGER if name.startswith('int') else '')
    heads = ['message', 'libredlock, M/s', 'hiredis, M/s', 'ioredis, M/s', 'libredlock, instructions', 'hiredis, instructions']
    columns = len(heads) if section['instructions'] else 4
    page.table(heads[:columns], [row[:columns] for row in cells])


def earlier(page):
    page.say('## Not in this run',
             'Neither Debian nor npm has these. Their figures are of an earlier run, of November 2026, with Redis 7.0.15, on '
             'a machine of the same kind: 2 CPUs, Debian 12. CPU is the ratio to the floor of that run.')
    page.table(['client', 'CPU, 1 server', 'CPU, 5 servers', 'acquired, 1 of 5 refused', 'acquired, 1 of 5 stalled', 'allocations, 1 and 5 servers',
                'memory'], EARLIER)


def check(figures):
    if figures['quick']:
        sys.exit('page.py: that was a quick run: run `make bench` without QUICK')
    if figures['machine']['others'] > MOST_BUSY:
        sys.exit(f'page.py: other processes used {100 * figures["machine"]["others"]:.0f} % of the machine: run it on an idle one')


def main():
    words = [word for word in sys.argv[1:] if word != '--update']
    with open(words[0]) as file:
        figures = json.load(file)
    if '--update' in sys.argv:
        check(figures)
    page = Page(figures, words[1])
    begin(page)
    at = len(page.text)
    healthy(page, 1)
    healthy(page, 5)
    growth(page)
    round_trips(page)
    faults(page)
    contention(page)
    mixed(page)
    many_locks(page)
    commands(page)
    parser(page)
    earlier(page)
    rest, page.text = page.text[at:], page.text[:at]
    wins(page)
    page.text += rest
    page.write()


main()
