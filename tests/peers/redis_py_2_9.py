# SPDX-License-Identifier: MIT
# redis_py_2_9.py LOCK URL - the protocol of the lock of redis-py 2.9: SETNX of the time at which the lock expires, in
# whole seconds, and GETSET when that time is past. driver.js describes the lines that it reads and prints.
import sys
import time

import redis

name, url = sys.argv[1:]
server = redis.Redis.from_url(url)
until = None


def is_past(value, now):  # nothing counts as 1
    return float(value or 1) < now


def attempt(ttl):
    global until
    now = int(time.time())
    value = float(now + ttl)
    taken = server.setnx(name, value) or (
        is_past(server.get(name), now) and is_past(server.getset(name, value), now))
    if taken:
        until = value
    return taken


def release():
    value = server.get(name)
    if float(value or 1) >= until:
        server.delete(name)
        return "released"
    # A client that waited found no key, then we set ours, then its GETSET replaced it with an earlier time. It did not
    # get the lock (lock/LEGACY.md, "Overwritten values"). redlock writes a fraction, so whole seconds are not its own.
    return "overwritten" if value and value.endswith(b".0") else "lost"


for line in sys.stdin:
    verb, *ttl = line.split()
    if verb == "release":
        reply = release()
    else:
        held = attempt(int(ttl[0]) // 1000)
        while not held and verb == "wait":
            time.sleep(0.02)
            held = attempt(int(ttl[0]) // 1000)
        reply = "held" if held else "busy"
    print(reply, flush=True)
