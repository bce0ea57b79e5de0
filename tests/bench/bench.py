#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench.py BUILD JSON [--quick] [SECTION...] - measure ours and the peers side by side, and write the figures.

Everything runs on one CPU, the servers too. Each client under test is a long-running program, its driver, whose
arguments are ports of 127.0.0.1. It reads commands from standard input, a line each, and answers each with a line of
JSON:

    open KEY LOCKS      connect; prepare locks on KEY, KEY:1, KEY:2 and so on, that do not wait
    run CYCLES MS       acquire and release the first lock CYCLES times, for MS at most:
                        cycles, failed, cpu_us, wall_us, p50_us, p99_us, max_us
    locks COUNT         acquire COUNT locks one after the other, then release them:
                        locks, failed, acquire_us, release_us, cpu_us
    contend KEY WAITERS HOLD_US START_MS END_MS
                        WAITERS clients with connections of their own acquire, hold, release and pause (0 to twice the
                        hold) until END_MS, and count from START_MS on, in ms of the wall clock:
                        acquired, failed, jain, cpu_us, p50_ms, p99_ms, longest_ms (of the waits)
    empty COUNT         clients in C: what a system call costs that does nothing: us

Rounds of all clients are interleaved. A round of a client is divided by the same round of the floor.
"""
import datetime
import fcntl
import json
import os
import platform
import re
import resource
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = '/usr/bin/python3'
HINT = 'libredlock, wake hint'
CPUS = os.sched_getaffinity(0)
FULL = {
    'rounds': 31, 'cycles': {1: 1000, 5: 400}, 'warm_up': 2000,
    'fault_rounds': 3, 'fault_cycles': 1000, 'fault_ms': 2000, 'no_answer_s': 5,
    'faults': [(kind, count) for kind in ('stalled', 'refused', 'black-holed') for count in (1, 2)],
    'round_trips': [1, 50],
    'wait_rounds': 3, 'wait_ms': 2000, 'waiters': [1, 4, 8, 16, 32, 64], 'waiters_5': [8, 64], 'mixed': [8, 64],
    'locks': [1, 10, 100, 1000, 10000], 'locks_rounds': 3,
    'servers': [1, 2, 3, 4, 5, 6, 7], 'servers_rounds': 7,
    'command_rounds': 200,
    'instructions': True,
}
QUICK = {
    'rounds': 3, 'cycles': {1: 300, 5: 100}, 'warm_up': 500,
    'fault_rounds': 1, 'fault_cycles': 100, 'fault_ms': 500, 'no_answer_s': 2, 'faults': [('stalled', 1), ('refused', 1)],
    'round_trips': [1],
    'wait_rounds': 1, 'wait_ms': 600, 'waiters': [8], 'waiters_5': [8], 'mixed': [8],
    'locks': [1, 100], 'locks_rounds': 1,
    'servers': [1, 3, 7], 'servers_rounds': 1,
    'command_rounds': 10,
    'instructions': False,
}


class NoAnswer(Exception):
    """A driver did not answer in time, or ended."""


def quartiles(values):
    """The lower quartile, the median and the upper one."""
    if len(values) < 2:
        return [values[0]] * 3
    return statistics.quantiles(values, n=4, method='inclusive')


# ---------------------------------------------------------------- servers

class Server:
    def __init__(self, folder):
        self.folder = folder
        self.process = None
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ['redis-server', '--port', str(self.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir',
             self.folder, '--loglevel', 'warning', '--maxclients', '4000'], stdout=subprocess.DEVNULL)
        for _ in range(100):
            try:
                return self.command('PING')
            except OSError:
                time.sleep(0.05)
        raise SystemExit('redis-server does not start')

    def command(self, words):
        with socket.create_connection(('127.0.0.1', self.port), 5) as s:
            s.sendall(words.encode() + b'\r\n')
            reply = s.makefile('rb')
            first = reply.readline().decode().strip()
            if first.startswith('$'):
                return reply.read(int(first[1:])).decode()
            return first

    def commands_so_far(self):
        return int(re.search(r'total_commands_processed:(\d+)', self.command('INFO stats'))[1])

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.kill()
        self.process.wait()


class BlackHole:
    """A port that answers no attempt to connect: its queue is full."""
    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(('127.0.0.1', 0))
        self.listener.listen(0)
        self.port = self.listener.getsockname()[1]
        self.fill = [socket.socket() for _ in range(4)]
        for each in self.fill:
            each.setblocking(False)
            each.connect_ex(('127.0.0.1', self.port))

    def close(self):
        for each in self.fill + [self.listener]:
            each.close()


# ---------------------------------------------------------------- clients

class Kind:
    """A client under test; servers: how many it can use; waits: it waits for a lock by itself."""
    def __init__(self, name, command, version, servers='1N', waits=True, native=False):
        self.name, self.command, self.version = name, command, version
        self.servers, self.waits, self.native = servers, waits, native
        self.why_not = None

    def can(self, n):
        return self.why_not is None and ('1' if n == 1 else 'N') in self.servers


class Client:
    """A driver that runs."""
    def __init__(self, kind, ports, prefix=()):
        self.kind = kind
        self.process = subprocess.Popen([*prefix, *kind.command, *map(str, ports)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE if prefix else subprocess.DEVNULL)

    def ask(self, line, timeout_s=120):
        try:
            self.process.stdin.write(line.encode() + b'\n')
            self.process.stdin.flush()
        except BrokenPipeError:
            raise NoAnswer(self.kind.name) from None
        return self.answer(timeout_s)

    def answer(self, timeout_s=120):
        if not select.select([self.process.stdout], [], [], timeout_s)[0]:
            raise NoAnswer(self.kind.name)
        answer = self.process.stdout.readline()
        if not answer:
            raise NoAnswer(self.kind.name)
        return json.loads(answer)

    def begin(self, line):
        self.process.stdin.write(line.encode() + b'\n')
        self.process.stdin.flush()

    def memory_kb(self):
        with open(f'/proc/{self.process.pid}/status') as status:
            return int(re.search(r'VmHWM:\s+(\d+)', status.read())[1])

    def close(self):
        """Its standard error, if there is a prefix."""
        said = ''
        try:
            said = self.process.communicate(timeout=5)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
        return said.decode() if said else ''

    def kill(self):
        self.process.kill()
        self.process.communicate()


def said_by(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ''


def all_kinds(build):
    def program(name):
        return os.path.join(build, 'bench', f'drive-{name}')
    folder = os.path.join(build, 'bench', 'peers')
    packages = {}
    if os.path.exists(os.path.join(folder, 'node_modules')):
        with open(os.path.join(folder, 'package-lock.json')) as lock:
            packages = {name.removeprefix('node_modules/'): package.get('version')
                        for name, package in json.load(lock)['packages'].items()}
    ours = said_by('git', '-C', HERE, 'describe', '--always', '--dirty')
    kinds = [Kind('floor', [program('floor')], 'raw sockets', waits=False, native=True),
             Kind('libredlock', [program('ours'), 'sockets'], ours, native=True),
             Kind(HINT, [program('ours'), 'hint'], ours, servers='', native=True),
             Kind('libredlock, io_uring', [program('ours'), 'uring'], ours, waits=False, native=True),
             Kind('hiredis', [program('hiredis')], said_by('pkg-config', '--modversion', 'hiredis'), servers='1', waits=False,
                  native=True),
             Kind('python3-redis Lock', [PYTHON, os.path.join(HERE, 'drive_python.py')],
                  said_by(PYTHON, '-c', 'import redis; print(redis.__version__)'), servers='1')]
    if not kinds[-1].version:
        kinds[-1].why_not = 'python3-redis is not installed'
    for name, peer, package in (('node-redlock 5', 'redlock5', 'redlock5'), ('node-redlock 4', 'redlock4', 'redlock4'),
                                ('redlock-universal', 'redlock-universal', 'redlock-universal'),
                                ('@sesamecare-oss/redlock', 'sesamecare', '@sesamecare-oss/redlock')):
        kind = Kind(name, ['node', os.path.join(folder, 'drive.mjs'), peer], packages.get(package))
        if not kind.version:
            kind.why_not = 'npm did not install it'
        kinds.append(kind)
    return kinds, packages


# ---------------------------------------------------------------- the bench

class Bench:
    def __init__(self, build, out, how):
        self.build, self.out, self.how = build, out, how
        self.kinds, packages = all_kinds(build)
        self.folder = tempfile.mkdtemp()
        self.servers = [Server(self.folder) for _ in range(7)]
        self.figures = {'machine': machine(), 'quick': how is QUICK, 'kinds': {}, 'sections': {}, 'broken': {}}
        self.figures['machine']['ioredis'] = packages.get('ioredis', '')
        self.try_all()

    def ports(self, n):
        return [server.port for server in self.servers[:n]]

    def flush(self):
        for server in self.servers:
            server.command('FLUSHALL')

    def open(self, kind, ports, locks=1, prefix=()):
        client = Client(kind, ports, prefix)
        client.ask(f'open bench {locks}', 60)
        return client

    def try_all(self):
        """Which of them work here?"""
        for kind in self.kinds:
            if kind.why_not is None:
                try:
                    self.open(kind, self.ports(1)).close()
                except (NoAnswer, OSError) as error:
                    kind.why_not = f'it does not start here ({type(error).__name__})'
            self.figures['kinds'][kind.name] = {'version': kind.version, 'why_not': kind.why_not}

    def save(self, section, what):
        self.figures['sections'][section] = what
        with open(self.out, 'w') as out:
            json.dump(self.figures, out, indent=1)

    def end(self):
        for server in self.servers:
            server.thaw()
            server.stop()
        shutil.rmtree(self.folder)

    def contenders(self, n):
        return [kind for kind in self.kinds if kind.can(n)]

    # ------------------------------------------------------------ healthy

    def play(self, clients, rounds, cycles):
        """Interleaved; name: a list of figures for each of cpu_us, p50_us, p99_us of a cycle."""
        rows = {client.kind.name: {'cpu_us': [], 'p50_us': [], 'p99_us': [], 'failed': 0} for client in clients}
        for client in clients:
            client.ask(f'run {self.how["warm_up"]} 5000')
        for r in range(rounds):
            for k in range(len(clients)):
                client = clients[(k + r) % len(clients)]
                time.sleep(0.002)  # the last one's late replies
                answer = client.ask(f'run {cycles} 10000')
                row = rows[client.kind.name]
                row['cpu_us'].append(answer['cpu_us'] / answer['cycles'])
                row['p50_us'].append(answer['p50_us'])
                row['p99_us'].append(answer['p99_us'])
                row['failed'] += answer['failed']
        return rows

    def healthy(self, n):
        clients = [self.open(kind, self.ports(n)) for kind in self.contenders(n)]
        rows = self.play(clients, self.how['rounds'], self.how['cycles'][n])
        for client in clients:
            row = rows[client.kind.name]
            row['memory_kb'] = client.memory_kb()
            client.close()
        for kind in self.contenders(n):
            rows[kind.name]['calls'] = self.system_calls(kind, n)
            if kind.native:
                rows[kind.name]['allocations'] = self.allocations(kind, n)
        summary = {name: summarized(row, rows['floor']) for name, row in rows.items()}
        self.save(f'healthy {n}', summary)

    def system_calls(self, kind, n):
        """In a cycle: the difference of two runs."""
        client = self.open(kind, self.ports(n))
        client.ask('run 300 10000')
        counts = []
        for cycles in (100, 400):
            path = os.path.join(self.folder, 'calls')
            tracer = subprocess.Popen(['strace', '-f', '-c', '-U', 'calls', '-o', path, '-p', str(client.process.pid)],
                                      stderr=subprocess.PIPE)
            if b'attached' not in tracer.stderr.readline():
                client.close()
                tracer.communicate()
                return None
            time.sleep(0.1)
            client.ask(f'run {cycles} 60000')
            tracer.send_signal(signal.SIGINT)
            tracer.communicate()
            with open(path) as counted:
                counts.append(int(re.search(r'(\d+) total', counted.read())[1]))
        client.close()
        return (counts[1] - counts[0]) / 300

    def allocations(self, kind, n):
        """In a cycle: valgrind counts those of two programs."""
        counts = []
        for cycles in (200, 500):
            try:
                client = self.open(kind, self.ports(n), prefix=('valgrind', '--run-libc-freeres=no'))
                client.ask(f'run {cycles} 60000')
            except (NoAnswer, OSError):
                return None
            used = re.search(r'total heap usage: ([\d,]+) allocs', client.close())
            if not used:
                return None
            counts.append(int(used[1].replace(',', '')))
        return (counts[1] - counts[0]) / 300

    # ------------------------------------------------------------ faults

    def faults(self):
        rows = {}
        for fault, count in self.how['faults']:
            for r in range(self.how['fault_rounds']):
                kinds = self.contenders(5)
                for kind in kinds[r % len(kinds):] + kinds[:r % len(kinds)]:
                    if kind.name != 'floor':
                        rows.setdefault(f'{count} {fault}', {}).setdefault(kind.name, []).append(
                            self.with_fault(kind, fault, count))
            self.save('faults', rows)

    def with_fault(self, kind, fault, count):
        """One round: without the fault, and with it. What stays of the lock is counted when all are well again."""
        self.flush()
        run = f'run {self.how["fault_cycles"]} {self.how["fault_ms"]}'
        hurt, holes, ports = self.servers[:count], [], self.ports(5)
        client = self.open(kind, ports)
        try:
            client.ask('run 300 3000')
            well = client.ask(run)
            if fault == 'black-holed':
                client.close()
                holes = [BlackHole() for _ in range(count)]
                client = Client(kind, [hole.port for hole in holes] + ports[count:])
                client.ask('open bench 1', self.how['no_answer_s'])
                client.ask('run 100 1000', self.how['no_answer_s'])
            for server in hurt:
                if fault != 'black-holed':
                    server.freeze() if fault == 'stalled' else server.stop()
            ill = client.ask(run, self.how['no_answer_s'])
        except NoAnswer:
            ill = None
        if ill is None:
            client.kill()
        for server in hurt:
            if fault == 'stalled':
                server.thaw()
            if fault == 'refused':
                server.start()
        time.sleep(0.1)
        client.close() if ill else None
        for hole in holes:
            hole.close()
        time.sleep(0.05)
        left = sum(int(server.command('EXISTS bench')[1:]) for server in self.servers[:5])
        if ill is None:
            return {'no_answer': True, 'left': left}
        return {'acquired': 1 - ill['failed'] / ill['cycles'], 'left': left, 'p50_us': ill['p50_us'], 'p99_us': ill['p99_us'],
                'max_us': ill['max_us'], 'well_p50_us': well['p50_us'], 'well_p99_us': well['p99_us']}

    def round_trips(self):
        rows = {}
        for ms in self.how['round_trips']:
            proxy = subprocess.Popen([PYTHON, os.path.join(HERE, 'delay.py'), str(ms), *map(str, self.ports(5))],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            ports = [int(port) for port in proxy.stdout.readline().split()]
            clients = {kind.name: self.open(kind, ports) for kind in self.contenders(5)}
            found = {name: {'p50_us': [], 'p99_us': []} for name in clients}
            for client in clients.values():
                client.ask('run 20 2000')
            for _ in range(self.how['fault_rounds'] * 2):
                for name, client in clients.items():
                    answer = client.ask(f'run 200 {self.how["fault_ms"] / 2}')
                    found[name]['p50_us'].append(answer['p50_us'])
                    found[name]['p99_us'].append(answer['p99_us'])
            for client in clients.values():
                client.close()
            proxy.communicate()
            rows[f'{ms} ms'] = {name: summarized(row, found['floor']) for name, row in found.items()}
            self.save('round trips', rows)

    # ------------------------------------------------------------ contention

    def contend(self, kinds, waiters, n=1):
        """The waiters are shared out evenly among the kinds. For each: what its driver counted, and rates."""
        self.flush()
        ports = self.ports(n)
        clients = [self.open(kind, ports) for kind in kinds]
        start = time.time() * 1e3 + 500 + 10 * waiters
        end = start + self.how['wait_ms']
        for client in clients:
            client.begin(f'contend hot {waiters // len(clients)} 1000 {start:.0f} {end:.0f}')
        time.sleep(max(0, start / 1e3 - time.time()))
        before = self.servers[0].commands_so_far()
        time.sleep(max(0, end / 1e3 - time.time()))
        commands = self.servers[0].commands_so_far() - before
        answers = {}
        for client in clients:
            try:
                answers[client.kind.name] = client.answer(30)
                client.close()
            except NoAnswer:
                client.kill()
                answers[client.kind.name] = {'acquired': 0, 'failed': 0, 'jain': 0, 'cpu_us': 0, 'p50_ms': 0, 'p99_ms': 0,
                                             'longest_ms': self.how['wait_ms']}
        total = sum(answer['acquired'] for answer in answers.values())
        for answer in answers.values():
            answer['rate'] = answer['acquired'] / self.how['wait_ms'] * 1e3
            answer['commands'] = commands / total if total else None
        return answers

    def waiting_kinds(self):
        return [kind for kind in self.kinds if kind.waits and kind.why_not is None]

    def contention(self, n):
        rows = {}
        for waiters in self.how['waiters' if n == 1 else 'waiters_5']:
            for _ in range(self.how['wait_rounds']):
                for kind in self.waiting_kinds():
                    if n > 1 and not (kind.can(n) or kind.name == HINT):
                        continue
                    for name, answer in self.contend([kind], waiters, n).items():
                        rows.setdefault(str(waiters), {}).setdefault(name, []).append(answer)
            self.save(f'contention {n}', rows)

    def mixed(self):
        """Half of the waiters are ours, half a peer's; ours with and without the hint."""
        rows = {}
        ours = [kind for kind in self.waiting_kinds() if kind.native]
        for waiters in self.how['mixed']:
            for _ in range(self.how['wait_rounds']):
                for kind in self.waiting_kinds():
                    for own in ours if kind not in ours else []:
                        rows.setdefault(str(waiters), {}).setdefault(kind.name, {}).setdefault(own.name, []).append(
                            self.contend([own, kind], waiters))
            self.save('mixed', rows)

    # ------------------------------------------------------------ growth

    def many_locks(self):
        rows = {}
        for n in (1, 5):
            for count in self.how['locks']:
                for _ in range(self.how['locks_rounds']):
                    for kind in self.contenders(n):
                        if kind.name == 'floor':
                            continue
                        self.flush()
                        client = self.open(kind, self.ports(n), count)
                        client.ask('run 500 5000')
                        memory = client.memory_kb()
                        answer = client.ask(f'locks {count}')
                        answer['memory_kb'] = client.memory_kb() - memory
                        client.close()
                        rows.setdefault(str(n), {}).setdefault(str(count), {}).setdefault(kind.name, []).append(answer)
                self.save('many locks', rows)

    def growth(self):
        rows = {}
        for n in self.how['servers']:
            clients = [self.open(kind, self.ports(n)) for kind in self.contenders(n)]
            found = self.play(clients, self.how['servers_rounds'], self.how['cycles'][5])
            for client in clients:
                client.close()
            rows[str(n)] = {name: summarized(row, found['floor']) for name, row in found.items()}
            self.save('growth', rows)

    # ------------------------------------------------------------ the command

    def time_commands(self, programs, rounds):
        """Interleaved; name: quartiles of the wall time of a process from its start to its end, and ratios to flock."""
        found = {name: [] for name in programs}
        for r in range(rounds + 3):  # the first ones load the programs
            for k in range(len(programs)):
                name = list(programs)[(k + r) % len(programs)]
                begun = time.perf_counter()
                subprocess.run(programs[name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
                if r >= 3:
                    found[name].append((time.perf_counter() - begun) * 1e6)
        return {name: {'us': quartiles(values), 'ratio': quartiles([a / b for a, b in zip(values, found['flock'])])}
                for name, values in found.items()}

    def commands(self):
        """`redlock run LOCK -- true` beside `flock FILE true`: a free lock, and -n on a held one; on one CPU, and on all."""
        rows, pinned, file = {}, os.sched_getaffinity(0), os.path.join(self.folder, 'lock')
        redlock = [os.path.join(self.build, 'redlock'), 'run', '-u', f'redis://127.0.0.1:{self.ports(1)[0]}',
                   '--restart-guard=off']
        for where, cpus in (('one CPU', pinned), ('all CPUs', CPUS)):
            os.sched_setaffinity(0, cpus)
            rows[f'free, {where}'] = self.time_commands({
                'flock': ['flock', file, 'true'], 'libredlock': [*redlock, 'command', '--', 'true'],
                'no lock': ['true']}, self.how['command_rounds'])
            self.servers[0].command('SET held other')
            with open(file, 'w') as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                rows[f'held, -n, {where}'] = self.time_commands({
                    'flock': ['flock', '-n', file, 'true'], 'libredlock': [*redlock, '-n', 'held', '--', 'true']},
                    self.how['command_rounds'])
        os.sched_setaffinity(0, pinned)
        self.save('commands', rows)

    # ------------------------------------------------------------ the parser

    def parser(self):
        rows, instructions = {}, {}
        program = os.path.join(self.build, 'bench-resp')
        timed = re.compile(r'^(\S+) +([\d.]+) ns +([\d.]+) ns +([\d.]+)x')
        counted = re.compile(r'^(\S+) +([\d.]+) +([\d.]+) +([\d.]+)x$')
        how = [os.path.join(HERE, 'bench_resp.sh'), program] if self.how['instructions'] else [program]
        for line in said_by(*how).splitlines():
            if row := timed.match(line):
                rows[row[1]] = {'ours_ns': float(row[2]), 'hiredis_ns': float(row[3]), 'ratio': float(row[4])}
            elif row := counted.match(line):
                instructions[row[1]] = {'hiredis': float(row[2]), 'ours': float(row[3])}
        said = said_by('node', os.path.join(self.build, 'bench', 'peers', 'parse.mjs'))
        for name, ns in json.loads(said or '{}').items():
            rows[f'{name}.16k']['ioredis_ns'] = ns
        self.save('parser', {'time': rows, 'instructions': instructions})

    def run(self, sections):
        known = {'healthy 1': lambda: self.healthy(1), 'healthy 5': lambda: self.healthy(5), 'growth': self.growth,
                 'round trips': self.round_trips, 'faults': self.faults, 'contention 1': lambda: self.contention(1),
                 'contention 5': lambda: self.contention(5), 'mixed': self.mixed,
                 'many locks': self.many_locks, 'commands': self.commands, 'parser': self.parser}
        floor = self.open(self.kinds[0], self.ports(1))
        self.figures['machine']['empty_call_us'] = statistics.median(
            floor.ask('empty 200000')['us'] for _ in range(11))
        floor.close()
        for name in sections or known:
            begun = time.time()
            try:
                known[name]()
            except NoAnswer as error:
                self.figures['broken'][name] = str(error)
            print(f'{name:12} {time.time() - begun:6.0f} s', flush=True)


def summarized(row, floor):
    """Quartiles of lists, and of their ratios to the floor's; the rest as it is."""
    summary = {}
    for key, values in row.items():
        if isinstance(values, list):
            summary[key] = quartiles(values)
            summary[f'{key} ratio'] = quartiles([a / b for a, b in zip(values, floor[key])])
        else:
            summary[key] = values
    return summary


# ---------------------------------------------------------------- the machine

def machine():
    with open('/proc/cpuinfo') as info:
        model = re.search(r'model name\s*: (.*)', info.read())
    release = platform.freedesktop_os_release()
    return {'date': datetime.date.today().isoformat(), 'cpu': model[1] if model else platform.machine(),
            'cpus': os.cpu_count(), 'kernel': platform.release(), 'system': release.get('PRETTY_NAME', ''),
            'redis': re.search(r'v=(\S+)', said_by('redis-server', '--version') + ' v=?')[1],
            'compiler': said_by('cc', '--version').splitlines()[0], 'node': said_by('node', '--version'),
            'python': platform.python_version()}


def busy_s():
    """Seconds of all CPUs that were not idle."""
    with open('/proc/stat') as stat:
        times = [int(word) for word in stat.readline().split()[1:9]]
    return (sum(times) - times[3] - times[4]) / os.sysconf('SC_CLK_TCK')


def own_s():
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main():
    words = [word for word in sys.argv[1:] if word != '--quick']
    # In the background of a shell SIGINT is ignored, by strace, too. However this ends, the servers end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    busy, own, begun = busy_s(), own_s(), time.time()
    bench = Bench(words[0], words[1], QUICK if '--quick' in sys.argv else FULL)
    try:
        bench.run(words[2:])
    finally:
        bench.end()
    took = time.time() - begun
    # Other processes' share of all CPUs; ours have ended, so all of their time is known.
    others = max(0.0, (busy_s() - busy) - (own_s() - own)) / took / os.cpu_count()
    bench.figures['machine'].update(minutes=took / 60, others=others)
    bench.save('end', {})
    print(f'total {took:.0f} s; other processes used {100 * others:.0f} % of the machine')


main()
