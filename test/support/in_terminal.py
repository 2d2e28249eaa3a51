"""Runs a program on a terminal of its own: what comes on stdin is typed there, what it shows goes to stdout."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

ROWS, COLUMNS = 40, 100

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed:
            # Whoever typed is gone: the terminal closes, and its program is told so.
            os.kill(pid, signal.SIGHUP)
            break
        os.write(terminal, typed)
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            shown = b""
        if not shown:
            break
        while shown:
            shown = shown[os.write(1, shown) :]

_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
