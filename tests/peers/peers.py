#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""peers.py BUILD [TURNS [PEER...]] - share locks between `redlock` and clients of other projects.

BUILD/peers/node_modules has the npm modules (peers.mk); $RDL_COMMAND is the command to test. Each peer is
tested on servers of its own: with one and, if it implements Redlock, also with three, and with three of which one is down:

  in turn     The peer is refused while we hold the lock, also after the first ttl, because we renew. It waits, and gets the
              lock after our release. The same the other way round.
  deaths      The holder is killed. The other one gets the lock, and not before the lease is over.
  contention  CLIENTS of each side take turns until each side has had TURNS. Never two hold the lock.

Nothing depends on how long something takes, but a client that gives no reply within LIMIT seconds is a failure.
Exit status: 0 all of this is true of each peer; 1 not.
"""
import concurrent.futures
import contextlib
import json
import operator
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import redis

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.environ.get("RDL_COMMAND", "build/redlock")
LIMIT = 60
CLIENTS = 2
# Times in ms: a lease that no test outlasts, one that tests wait for, and one that is renewed.
LONG, SHORT, RENEWED = 30000, 1000, 3000


class Failure(Exception):
    pass


def expect(fact, text):
    if not fact:
        raise Failure(text)


def wait_for(is_true, text):
    end = time.monotonic() + LIMIT
    while not is_true():
        expect(time.monotonic() < end, f"{text} in {LIMIT} s")
        time.sleep(0.01)


# ---------------------------------------------------------------- servers

class Server:
    """A server, which ends with this process if not before."""

    def __init__(self, folder):
        # Another program may take the port before the server does.
        while not self.starts(folder):
            pass

    def starts(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url, log = f"redis://127.0.0.1:{port}", f"{folder}/{port}.log"
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", os.environ.get("RDL_SERVER", "redis-server"), "--bind", "127.0.0.1",
             "--port", str(port), "--save", "", "--dir", folder, "--logfile", log])
        self.connection = redis.Redis(port=port)
        wait_for(lambda: self.process.poll() is not None or self.is_up(), f"{self.url} does not start")
        if self.process.poll() is None:
            return True
        with open(log, encoding="utf-8") as lines:
            text = lines.read()
        expect("Address already in use" in text, f"{self.url} does not start: {text}")
        return False

    def is_up(self):  # and no other server has the port
        try:
            return self.connection.info("server")["process_id"] == self.process.pid
        except redis.RedisError:
            return False

    def expired(self):
        return self.connection.info("stats")["expired_keys"]

    def stop(self):
        self.process.kill()
        self.process.wait()


# ---------------------------------------------------------------- clients

class Client:
    """A process that prints a line when it holds the lock."""
    process = None

    def start(self, arguments, **more):
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **more)

    def line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT)
        expect(ready, f"{self}: no reply in {LIMIT} s")
        return self.process.stdout.readline().decode().strip()

    def has_replied(self):
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def attempt(self, ttl):
        self.begin(ttl, waits=False)
        return self.granted()

    def wait(self, ttl):
        self.begin(ttl, waits=True)
        expect(self.granted(), f"{self} waited and did not get the lock")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None


class Ours(Client):
    """`redlock hold`; with the old protocol `redlock run`, which has it. Every second one has no owner in its value."""

    made = 0

    def __init__(self, lock, servers, legacy):
        self.options = [word for server in servers for word in ("-u", server.url)]
        self.verb, self.operands = "hold", [lock]
        if legacy:
            self.verb, self.operands = "run", [lock, "-c", "echo held; exec cat"]
            self.options += ["--legacy", "always", "--legacy-shortest-ttl"]
        self.options += ["--restart-guard", "off"]
        Ours.made += 1
        if Ours.made % 2 == 0:
            self.options += ["--no-owner"]

    def __str__(self):
        return f"redlock {self.verb}"

    def begin(self, ttl, waits):
        self.start([COMMAND, self.verb, "-q", "--ttl", f"{ttl}ms", "--attempt", f"{ttl // 5}ms",
                    "-w", f"{LIMIT if waits else 0}"] + self.options + self.operands)

    def granted(self):
        if self.line():
            return True
        status = self.process.wait()
        expect(status == 1, f"{self} exits with {status}")
        return False

    def release(self):
        self.process.communicate()
        expect(self.process.returncode == 0, f"{self} releases, and exits with {self.process.returncode}")


class Theirs(Client):
    """A peer's driver: driver.js describes its lines."""

    def __init__(self, peer, lock, servers):
        self.peer = peer
        self.arguments = peer.program + [lock] + [server.url for server in servers]

    def __str__(self):
        return self.peer.name

    def begin(self, ttl, waits):
        if not self.process:
            self.start(self.arguments, env={**os.environ, **self.peer.environment})
        self.say(f"{'wait' if waits else 'try'} {ttl}")

    def say(self, line):
        self.process.stdin.write(f"{line}\n".encode())

    def granted(self):
        reply = self.line()
        expect(reply in ("held", "busy"), f"{self}: unexpected reply {reply!r}")
        return reply == "held"

    def release(self):
        self.say("release")
        reply = self.line()
        good = ("released", "overwritten") if self.peer.legacy else ("released",)
        expect(reply in good, f"{self}: release: unexpected reply {reply!r}")


# ---------------------------------------------------------------- peers

class Peer:
    def __init__(self, name, program, version, sizes, module=None, legacy=False):
        self.name, self.program, self.version, self.sizes, self.legacy = name, program, version, sizes, legacy
        self.environment = {"PEER_MODULE": module} if module else {}


def npm(folder, name, driver, module=None):
    """A peer that is an npm module. Its name in package.json is that of its driver, unless it is given."""
    modules = os.path.abspath(os.path.join(folder, "node_modules"))
    with open(os.path.join(modules, module or name, "package.json"), encoding="utf-8") as description:
        version = json.load(description)["version"].lstrip("v")
    peer = Peer(name, ["node", os.path.join(HERE, driver)], version, [(1, 1), (3, 3), (3, 2)], module)
    peer.environment["NODE_PATH"] = modules
    return peer


def python(name, driver, version, **more):
    return Peer(name, ["/usr/bin/python3", os.path.join(HERE, driver)], version, [(1, 1)], **more)


def peers(folder, names):
    """Those of these names, or all. The modules of the others need not be installed."""
    every = {
        "redlock4": lambda: npm(folder, "redlock4", "redlock4.js"),
        "redlock5": lambda: npm(folder, "redlock5", "redlock5.js"),
        "sesamecare-redlock":
            lambda: npm(folder, "sesamecare-redlock", "redlock5.js", "@sesamecare-oss/redlock"),
        "redlock-universal": lambda: npm(folder, "redlock-universal", "redlock_universal.js"),
        "redis-py": lambda: python("redis-py", "redis_py.py", redis.__version__),
        "redis-py-2.9": lambda: python("redis-py-2.9", "redis_py_2_9.py", "its protocol", legacy=True),
    }
    return [every[name]() for name in names or every]


# ---------------------------------------------------------------- what is shown

class Table:
    """One lock of a peer and us."""
    LOCK = "nightly"

    def __init__(self, peer, servers, stack):
        self.peer, self.servers, self.stack = peer, servers, stack

    def client(self, ours):
        client = Ours(self.LOCK, self.servers, self.peer.legacy) if ours else Theirs(self.peer, self.LOCK, self.servers)
        self.stack.callback(client.kill)
        return client

    def live(self):
        return [server for server in self.servers if server.process.poll() is None]

    def attempts(self):
        """How often the servers were asked for the lock."""
        stats = [server.connection.info("commandstats") for server in self.live()]
        return sum(stat.get(f"cmdstat_{command}", {"calls": 0})["calls"]
                   for stat in stats for command in ("set", "setnx", "exists"))

    def refuses(self, waiter, holder):
        """Waits until the waiter has been refused at least once by each server."""
        enough = self.attempts() + 2 * len(self.live())
        waiter.begin(LONG, waits=True)
        wait_for(lambda: self.attempts() >= enough or waiter.has_replied(), f"{waiter} does not try again")
        expect(not waiter.has_replied(), f"{waiter} gets the lock that {holder} holds")

    def sees_renewals(self, number, waiter):
        """Waits until a server has seen that many renewals: the ttl rises or, in the old protocol, the value does."""
        server = self.live()[0].connection
        states = []

        def is_enough():
            states.append((server.get(self.LOCK), 0) if self.peer.legacy else (b"", server.pttl(self.LOCK)))
            return waiter.has_replied() or sum(map(operator.lt, states, states[1:])) >= number

        wait_for(is_enough, f"no {number} renewals")


def in_turn(table, first, second):
    first.wait(LONG)
    expect(not second.attempt(LONG), f"{second} gets the lock that {first} holds")
    table.refuses(second, first)
    first.release()
    expect(second.granted(), f"{second} waits, and does not get the lock that {first} releases")
    expect(not first.attempt(LONG), f"{first} gets the lock that {second} holds")
    second.release()


def renewed(table, ours, theirs):
    """Three renewals are as long as the ttl."""
    ours.wait(RENEWED)
    table.refuses(theirs, ours)
    table.sees_renewals(4, theirs)
    expect(not theirs.has_replied(), f"{theirs} gets the lock that {ours} renews")
    ours.release()
    expect(theirs.granted(), f"{theirs} waits, and does not get the lock that {ours} releases")
    theirs.release()


def death(table, holder, other):
    """In the old protocol the value is when the lease ends; otherwise keys expire, on a majority."""
    before = {server: server.expired() for server in table.live()}
    holder.wait(SHORT)
    until = table.live()[0].connection.get(table.LOCK)
    holder.kill()
    other.wait(LONG)
    if table.peer.legacy:
        now = float("%d.%06d" % table.live()[0].connection.time())
        expect(now > float(until), f"{other} gets the lock at {now}, and the lease of {holder} ends at {until}")
    else:
        expired = sum(server.expired() > count for server, count in before.items())
        expect(expired > len(table.servers) // 2, f"{other} gets the lock before the lease of {holder} ends")
    other.release()


class Turns:
    """What happens with the lock. Two holders at the same time are a failure, and so is an update that is lost."""

    def __init__(self, wanted):
        self.wanted, self.alone, self.history, self.count, self.failure = wanted, threading.Lock(), [], 0, None

    def goes_on(self):
        return not self.failure and min(self.history.count(side) for side in (True, False)) < self.wanted

    def turn(self, client, ours):
        expect(self.alone.acquire(blocking=False), f"{client} gets the lock while another client holds it")
        count = self.count
        time.sleep(0.002)
        self.count = count + 1
        self.history.append(ours)
        self.alone.release()

    def take(self, client, ours):
        try:
            while self.goes_on():
                client.wait(LONG)
                self.turn(client, ours)
                client.release()
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = self.failure or failure

    def handovers(self):
        return sum(one != other for one, other in zip(self.history, self.history[1:]))


def contention(table, ours, theirs, wanted):
    turns = Turns(wanted)
    clients = [(ours, True), (theirs, False)]
    clients += [(table.client(is_ours), is_ours) for is_ours in (True, False) * (CLIENTS - 1)]
    threads = [threading.Thread(target=turns.take, args=client) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if turns.failure:
        raise turns.failure
    expect(turns.count == len(turns.history), f"{len(turns.history) - turns.count} updates are lost")
    return turns


def share(peer, size, up, wanted):
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        servers = []
        for _ in range(size):
            servers.append(Server(folder))
            stack.callback(servers[-1].stop)
        for server in servers[up:]:
            server.stop()
        table = Table(peer, servers, stack)
        ours, theirs = table.client(ours=True), table.client(ours=False)
        in_turn(table, ours, theirs)
        in_turn(table, theirs, ours)
        renewed(table, ours, theirs)
        death(table, theirs, ours)
        death(table, ours, theirs)
        turns = contention(table, ours, theirs, wanted)
    return (f"{turns.history.count(True)} turns of ours, {turns.history.count(False)} of theirs, "
            f"{turns.handovers()} times from one side to the other")


def main(build, wanted="10", *names):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    table = [(peer, size, up) for peer in peers(os.path.join(build, "peers"), names) for size, up in peer.sizes]
    status = 0 if table else 1
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(table) or 1) as pool:
        shared = [(peer, size, up, pool.submit(share, peer, size, up, int(wanted))) for peer, size, up in table]
        for peer, size, up, result in shared:
            try:
                what = result.result()
            except Exception as failure:  # pylint: disable=broad-except
                what, status = f"FAILED: {failure}", 1
            print(f"{peer.name} {peer.version}, {up} of {size} servers: {what}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
