"""Data-parallel training with Python's standard library alone.

Every rank has samples of its own. In each step it computes the gradient of its samples; a ring
all-reduce adds up the gradients of all ranks, and each rank takes the same step. Rank 0 writes a
checkpoint every few steps, and all ranks begin with the newest.

A real job has a framework for the first half of this file. The second half is the example: how ranks
find each other, why a rank of an earlier attempt is refused, and how a rank ends that lost a peer.
"""

import json
import os
import random
import signal
import socket
import struct
import sys
import time
from pathlib import Path

# The function that the ranks have to find: y = 3 x0 - 2 x1 + 0.5 x2 - 1 x3.
TRUTH = [3.0, -2.0, 0.5, -1.0]
SAMPLES = 64
RATE = 0.1

# Other ranks may start minutes later, after pulling images.
RENDEZVOUS_SECONDS = float(os.environ.get("RENDEZVOUS_SECONDS", "600"))
# A peer on a lost machine sends nothing any more.
SILENCE_SECONDS = float(os.environ.get("SILENCE_SECONDS", "60"))
# How long a rank that lost a peer waits to be stopped.
LOST_PEER_SECONDS = float(os.environ.get("LOST_PEER_SECONDS", "60"))
LOST_PEER_CODE = 75


class LostPeer(Exception):
    """A neighbour in the ring is gone: it ended, or its machine did."""


def gradient(weights, step, rank):
    """The gradient of the mean squared error of this rank's samples of this step, and that error."""
    samples = random.Random(f"{step}/{rank}")
    slope, loss = [0.0] * len(weights), 0.0
    for _ in range(SAMPLES):
        x = [samples.uniform(-1, 1) for _ in weights]
        error = sum((w - t) * v for w, t, v in zip(weights, TRUTH, x))
        loss += error * error / SAMPLES
        slope = [s + 2 * error * v / SAMPLES for s, v in zip(slope, x)]
    return slope, loss


def train(ring, checkpoints, steps, pause):
    """Trains up to that number of steps, from the newest checkpoint on."""
    start, weights = checkpoints.newest() if ring.rank == 0 else (0, [0.0] * len(TRUTH))
    # Only rank 0 reads the checkpoints: the others add zeros, and so get the values of rank 0.
    start, *weights = ring.all_reduce([float(start), *weights])
    start = int(start)
    say(f"attempt {ring.attempt}: rank {ring.rank} of {ring.size} begins at step {start}")
    for step in range(start + 1, steps + 1):
        slope, loss = gradient(weights, step, ring.rank)
        *slope, loss = ring.all_reduce([*slope, loss])
        weights = [w - RATE * s / ring.size for w, s in zip(weights, slope)]
        if ring.rank == 0 and checkpoints.is_due(step, steps):
            checkpoints.save(step, weights, ring.attempt)
            say(f"step {step}: loss {loss / ring.size:.6f}, checkpoint saved")
        time.sleep(pause)
    say(f"done: {' '.join(f'{w:.6f}' for w in weights)}")


class Checkpoints:
    """Checkpoints in a folder of rank 0, one file each."""

    def __init__(self, folder, every):
        self.folder, self.every = Path(folder), every

    def newest(self):
        """Its step and weights; without one, step 0."""
        files = sorted(self.folder.glob("step-*.json"))
        if not files:
            return 0, [0.0] * len(TRUTH)
        found = json.loads(files[-1].read_text())
        return found["step"], found["weights"]

    def is_due(self, step, steps):
        return step % self.every == 0 or step == steps

    def save(self, step, weights, attempt):
        """Writes a checkpoint and keeps the previous one.

        A file appears at once and whole, so a rank that is killed here leaves no broken file. Its
        name has the attempt: a rank 0 of an earlier attempt, which may continue on a machine that
        hung, does not replace it.
        """
        file = self.folder / f"step-{step:08}-{attempt}.json"
        part = file.with_suffix(".part")
        with part.open("w") as out:
            json.dump({"step": step, "weights": weights}, out)
            out.flush()
            os.fsync(out.fileno())
        part.rename(file)
        for old in sorted(self.folder.glob("step-*.json"))[:-2]:
            old.unlink(missing_ok=True)


class Ring:
    """The ranks in a ring: each sends to the next and receives from the one before it.

    They meet at rank 0, whose name all ranks know. It collects the address of each rank and sends
    the list to all.
    """

    def __init__(self, rank, size, attempt, leader, host):
        self.rank, self.size, self.attempt = rank, size, attempt
        deadline = time.monotonic() + RENDEZVOUS_SECONDS
        with socket.create_server(("", 0), backlog=size) as listener:
            me = [host, listener.getsockname()[1]]
            if rank == 0:
                addresses = self.collect(me, leader, deadline)
            else:
                addresses = self.join(me, leader, deadline)
            self.after = self.connect(addresses[(rank + 1) % size], deadline)
            self.before = self.accept(listener, deadline)

    def collect(self, me, leader, deadline):
        """Rank 0: takes the address of each rank of its own attempt."""
        waiting = {}
        with socket.create_server(("", leader[1]), backlog=self.size) as listener:
            while len(waiting) < self.size - 1:
                peer, hello = self.next_hello(listener, deadline)
                if self.is_ours(peer, hello):
                    waiting[hello["rank"]] = peer, hello["address"]
            addresses = [me, *(waiting[rank][1] for rank in range(1, self.size))]
            for peer, _ in waiting.values():
                send_message(peer, {"addresses": addresses})
                peer.close()
        return addresses

    def join(self, me, leader, deadline):
        """Other ranks: connect until rank 0 of their own attempt answers with the list."""
        while True:
            try:
                with socket.create_connection(leader, timeout=5) as peer:
                    peer.settimeout(remaining(deadline))
                    send_message(peer, {"attempt": self.attempt, "rank": self.rank, "address": me})
                    answer = read_message(peer)
                if "addresses" in answer:
                    return answer["addresses"]
                say(f"rank 0 refuses: {answer['refused']}")
            except OSError as error:
                if remaining(deadline) < 1:
                    raise TimeoutError(f"rank 0 is not at {leader[0]}: {error}") from error
            # Its name may not resolve yet, or may lead to its pod of the previous attempt.
            time.sleep(0.2)

    def is_ours(self, peer, hello):
        """Refuses a rank of another attempt, whose process may still run on a machine that hung."""
        if hello["attempt"] == self.attempt:
            return True
        refused = f"rank {hello['rank']} is of attempt {hello['attempt']}, this is {self.attempt}"
        say(f"refused: {refused}")
        send_message(peer, {"refused": refused})
        peer.close()
        return False

    def connect(self, address, deadline):
        """To the next rank; it listens, but its name may not resolve yet."""
        while True:
            try:
                peer = socket.create_connection(tuple(address), timeout=5)
                break
            except OSError:
                if remaining(deadline) < 1:
                    raise
                time.sleep(0.2)
        peer.settimeout(SILENCE_SECONDS)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        send_message(peer, {"attempt": self.attempt, "rank": self.rank})
        return peer

    def accept(self, listener, deadline):
        while True:
            peer, hello = self.next_hello(listener, deadline)
            if self.is_ours(peer, hello):
                peer.settimeout(SILENCE_SECONDS)
                return peer

    def next_hello(self, listener, deadline):
        """The next connected peer and its first message."""
        while True:
            listener.settimeout(remaining(deadline))
            peer, _ = listener.accept()
            try:
                peer.settimeout(5)
                return peer, read_message(peer)
            except (OSError, ValueError):
                peer.close()

    def all_reduce(self, numbers):
        """The sums of the numbers of all ranks, by position."""
        chunks = [numbers[i :: self.size] for i in range(self.size)]
        # Each chunk goes round once, and each rank on its way adds its part ...
        for i in range(self.size - 1):
            mine, theirs = (self.rank - i) % self.size, (self.rank - i - 1) % self.size
            part = self.exchange(chunks[mine])
            chunks[theirs] = [a + b for a, b in zip(chunks[theirs], part)]
        # ... and once more, so that every rank keeps the sum.
        for i in range(self.size - 1):
            mine, theirs = (self.rank - i + 1) % self.size, (self.rank - i) % self.size
            chunks[theirs] = self.exchange(chunks[mine])
        for i, chunk in enumerate(chunks):
            numbers[i :: self.size] = chunk
        return numbers

    def exchange(self, chunk):
        """Sends to the next rank, and receives from the one before.

        All send first: the few numbers fit into the buffers of the network.
        """
        try:
            peer = (self.rank + 1) % self.size
            send(self.after, struct.pack(f"!{len(chunk)}d", *chunk))
            peer = (self.rank - 1) % self.size
            data = receive(self.before)
        except OSError as error:
            raise LostPeer(f"rank {peer}: {error}") from error
        return struct.unpack(f"!{len(data) // 8}d", data)


def send(peer, data):
    peer.sendall(struct.pack("!I", len(data)) + data)


def receive(peer):
    (length,) = struct.unpack("!I", read(peer, 4))
    return read(peer, length)


def read(peer, length):
    data = b""
    while len(data) < length:
        part = peer.recv(length - len(data))
        if not part:
            raise ConnectionResetError("it closed the connection")
        data += part
    return data


def send_message(peer, message):
    send(peer, json.dumps(message).encode())


def read_message(peer):
    return json.loads(receive(peer))


def remaining(deadline):
    return max(deadline - time.monotonic(), 0.1)


def say(text):
    print(text, flush=True)


def end(code, why):
    say(why)
    sys.exit(code)


def main():
    # The first process of a container ignores signals that it has no handler for.
    signal.signal(signal.SIGTERM, lambda *_: end(128 + signal.SIGTERM, "stopped by SIGTERM"))
    environment = os.environ
    rank = int(environment["FIRST_RANK"]) + int(environment["GROVE_PCLQ_POD_INDEX"])
    own_name = f"{environment['GROVE_PCLQ_NAME']}-{environment['GROVE_PCLQ_POD_INDEX']}"
    own_name = f"{own_name}.{environment['GROVE_HEADLESS_SERVICE']}"
    leader, _, port = environment["LEADER"].rpartition(":")
    checkpoints = Checkpoints(
        environment.get("CHECKPOINTS", "/checkpoints"), int(environment.get("CHECKPOINT_EVERY", "20"))
    )
    try:
        ring = Ring(
            rank,
            int(environment["RANKS"]),
            environment["GROVE_ATTEMPT"],
            (leader, int(port)),
            environment.get("HOST", own_name),
        )
        train(ring, checkpoints, int(environment["STEPS"]), float(environment["STEP_SECONDS"]))
    except LostPeer as error:
        # A rank that ends here failed because of another rank, and would hide that failure. When the
        # operator has seen the first failure, it stops all ranks; otherwise this rank reports its own.
        say(f"lost {error}; waiting to be stopped")
        time.sleep(LOST_PEER_SECONDS)
        end(LOST_PEER_CODE, f"lost {error}")
    except TimeoutError as error:
        end(1, f"the ranks did not meet: {error}")


if __name__ == "__main__":
    main()
