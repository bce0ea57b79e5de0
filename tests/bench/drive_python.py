#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""drive_python.py PORT - python3-redis' Lock, for `make bench`. bench.py describes the protocol."""
import json
import multiprocessing
import random
import resource
import sys
import time

import redis
from redis.exceptions import LockError

TTL_S = 30


class Client:
    def __init__(self, port, key, locks, waits):
        self.server = redis.Redis(host='127.0.0.1', port=port)
        self.locks = [redis.lock.Lock(self.server, key if i == 0 else f'{key}:{i}', timeout=TTL_S,
                                      blocking=waits) for i in range(locks)]

    def acquire(self, i):
        return self.locks[i].acquire()

    def release(self, i):
        try:
            self.locks[i].release()
        except LockError:
            return False
        return True


def cpu_us(who=resource.RUSAGE_SELF):
    usage = resource.getrusage(who)
    return (usage.ru_utime + usage.ru_stime) * 1e6


def run(client, cycles, most_ms):
    took = []
    failed = 0
    cpu = cpu_us()
    start = at = time.perf_counter()
    while len(took) < cycles and (at - start) * 1e3 < most_ms:
        begun = at
        failed += not (client.acquire(0) and client.release(0))
        at = time.perf_counter()
        took.append((at - begun) * 1e6)
    cpu = cpu_us() - cpu
    took.sort()
    n = len(took)
    return {'cycles': n, 'failed': failed, 'cpu_us': cpu, 'wall_us': (at - start) * 1e6,
            'p50_us': took[n // 2], 'p99_us': took[n * 99 // 100], 'max_us': took[-1]}


def run_locks(client, count):
    cpu = cpu_us()
    start = time.perf_counter()
    failed = sum(not client.acquire(i) for i in range(count))
    middle = time.perf_counter()
    failed += sum(not client.release(i) for i in range(count))
    end = time.perf_counter()
    return {'locks': count, 'failed': failed, 'acquire_us': (middle - start) * 1e6,
            'release_us': (end - middle) * 1e6, 'cpu_us': cpu_us() - cpu}


def wait_and_hold(port, key, hold_us, start_ms, end_ms, results):
    client = Client(port, key, 1, True)
    count, waits = 0, []
    while time.time() * 1e3 < end_ms:
        begun = time.time() * 1e3
        client.acquire(0)
        now = time.time() * 1e3
        if now >= start_ms and begun < end_ms:
            waits.append(min(now, end_ms) - begun)
        count += start_ms <= now < end_ms
        time.sleep(hold_us / 1e6)
        client.release(0)
        time.sleep(random.random() * 2 * hold_us / 1e6)
    results.put((count, waits))


def contend(port, key, waiters, hold_us, start_ms, end_ms):
    results = multiprocessing.Queue()
    cpu = cpu_us(resource.RUSAGE_CHILDREN)
    processes = [multiprocessing.Process(target=wait_and_hold,
                                         args=(port, key, hold_us, start_ms, end_ms, results))
                 for _ in range(waiters)]
    for process in processes:
        process.start()
    answers = [results.get() for _ in processes]
    for process in processes:
        process.join()
    counts = [count for count, _ in answers]
    waits = sorted(wait for _, some in answers for wait in some)
    squares = sum(count * count for count in counts)
    return {'acquired': sum(counts), 'failed': 0, 'jain': sum(counts) ** 2 / waiters / squares if squares else 0,
            'cpu_us': cpu_us(resource.RUSAGE_CHILDREN) - cpu, 'p50_ms': waits[len(waits) // 2],
            'p99_ms': waits[len(waits) * 99 // 100], 'longest_ms': waits[-1]}


def main():
    port = int(sys.argv[1])
    client = None
    for line in sys.stdin:
        verb, *words = line.split()
        if verb == 'open':
            client = Client(port, words[0], int(words[1]), False)
            client.server.ping()
            answer = {}
        elif verb == 'run':
            answer = run(client, int(words[0]), float(words[1]))
        elif verb == 'locks':
            answer = run_locks(client, int(words[0]))
        elif verb == 'contend':
            answer = contend(port, words[0], int(words[1]), int(words[2]), float(words[3]), float(words[4]))
        else:
            sys.exit(1)
        print(json.dumps(answer), flush=True)


main()
