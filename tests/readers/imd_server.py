# SPDX-License-Identifier: MIT
"""imd_server.py SESSION PORTFILE KEY=VALUE...: plays a recorded IMD session to one client, and what goes wrong with engines. It listens
on a port of its own (or port=P), whose number goes to PORTFILE, sends the head of the session and waits a second for "go". Keys: cut
(so many bytes are sent, of the whole session), piece and pause (bytes at a time, seconds between them), late (seconds before it
listens), hang (bytes after which it says nothing more for `still` seconds), reset (1: ends by a reset instead of a close), mute (1:
sends no handshake), leave (seconds for a last word of the client before it closes). What
the client said goes to stdout."""
import os
import socket
import struct
import sys
import time

HEAD = 23  # bytes of handshake and session
k = dict(port="0", cut="-1", piece="0", pause="0", late="0", hang="-1", still="30", reset="0", mute="0", leave="0.05")
k.update(a.split("=", 1) for a in sys.argv[3:])
session = open(sys.argv[1], "rb").read()
if int(k["cut"]) >= 0:
    session = session[:int(k["cut"])]
names = {0: "disconnect", 3: "go", 7: "pause", 11: "resume"}


def hear(conn, seconds):
    """What comes within so many seconds, told."""
    conn.settimeout(seconds)
    said, data = None, b""
    try:
        while len(data) < 8:
            more = conn.recv(8 - len(data))
            if not more:
                return "gone"
            data += more
        said = names.get(struct.unpack(">ii", data)[0], "?")
    except (TimeoutError, ConnectionError):
        return None
    print(said, flush=True)
    return said


def send(conn, first, last):
    """Bytes [first, last) of the session; the whole of them straight from the file's pages, so that who receives is what is timed."""
    if first < last and not int(k["piece"]) and not float(k["pause"]):
        with open(sys.argv[1], "rb") as f:
            conn.sendfile(f, first, last - first)
        return
    data = session[first:last]
    piece = int(k["piece"]) or len(data) or 1
    for at in range(0, len(data), piece):
        conn.sendall(data[at:at + piece])
        if float(k["pause"]):
            time.sleep(float(k["pause"]))


listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", int(k["port"])))
with open(sys.argv[2] + ".new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(sys.argv[2] + ".new", sys.argv[2])
time.sleep(float(k["late"]))
listener.listen(1)
listener.settimeout(60)
conn, _ = listener.accept()
try:
    if k["mute"] == "1":
        time.sleep(float(k["still"]))
        sys.exit()
    send(conn, 0, min(HEAD, len(session)))
    if len(session) >= HEAD and hear(conn, 1.0) != "go":
        sys.exit("no go within a second")
    hang = int(k["hang"])
    conn.settimeout(60)
    send(conn, HEAD, len(session) if hang < 0 else hang)
    if hang >= 0:
        time.sleep(float(k["still"]))
    hear(conn, float(k["leave"]))
    if k["reset"] == "1":
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
except (BrokenPipeError, ConnectionResetError):
    print("lost", flush=True)
conn.close()
