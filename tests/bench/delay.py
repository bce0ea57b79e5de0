#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""delay.py MS PORT... - a proxy for each port of 127.0.0.1 that delays each direction by half of MS.

Prints the ports of the proxies, in one line. Ends with its standard input.
"""
import asyncio
import contextlib
import os
import selectors
import socket
import sys


async def pass_on(reader, writer, delay):
    loop = asyncio.get_running_loop()
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            loop.call_later(delay, writer.write, data)
    loop.call_later(delay, writer.close)


def proxy_to(port, delay):
    async def meet(reader, writer):
        others_reader, others_writer = await asyncio.open_connection('127.0.0.1', port)
        for each in writer, others_writer:
            each.get_extra_info('socket').setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.gather(pass_on(reader, others_writer, delay), pass_on(others_reader, writer, delay))
    return meet


async def main():
    delay = float(sys.argv[1]) / 2e3
    loop = asyncio.get_running_loop()
    proxies = [await asyncio.start_server(proxy_to(int(port), delay), '127.0.0.1', 0) for port in sys.argv[2:]]
    print(*(proxy.sockets[0].getsockname()[1] for proxy in proxies), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    os._exit(0)  # connections that are still open end with it


# select() waits for fractions of a millisecond; the default selector rounds them up.
asyncio.set_event_loop(asyncio.SelectorEventLoop(selectors.SelectSelector()))
asyncio.get_event_loop().run_until_complete(main())
