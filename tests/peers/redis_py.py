# SPDX-License-Identifier: MIT
# redis_py.py LOCK URL - the lock of redis-py; driver.js describes the lines that it reads and prints
import sys

import redis
from redis.exceptions import LockError

name, url = sys.argv[1:]
server = redis.Redis.from_url(url)
lock = None
for line in sys.stdin:
    verb, *ttl = line.split()
    if verb == "release":
        try:
            lock.release()
            reply = "released"
        except LockError:
            reply = "lost"
    else:
        attempt = server.lock(name, timeout=int(ttl[0]) / 1000, sleep=0.02)
        held = attempt.acquire(blocking=verb == "wait")
        lock = attempt if held else lock
        reply = "held" if held else "busy"
    print(reply, flush=True)
