"""The module `hourglass`, as Python programs find it."""

import json
import os
import types

MAX_CHECKPOINT = 2048
MAX_MESSAGE = 200


def make_module(last_checkpoint, fd):
    """
    A fresh module; `last_checkpoint` is JSON text or None, `fd` where notes go.

    Without a descriptor nothing is noted: processes that the program starts anew have none.
    """
    module = types.ModuleType("hourglass", "Checkpoints and progress of this program.")
    module.last_checkpoint = None if last_checkpoint is None else json.loads(last_checkpoint)
    encode, write = json.dumps, os.write

    def note(kind, value):
        line = b'{"%s":%s}\n' % (kind, value)
        if fd is None:
            raise RuntimeError("notes are taken from the process that the program began in, and from its forks")
        write(fd, line)

    def checkpoint(value):
        """Keeps a small JSON value: the next attempt that has to run this program again finds it in `last_checkpoint`."""
        text = encode(value, allow_nan=False, separators=(",", ":")).encode()
        if len(text) > MAX_CHECKPOINT:
            raise ValueError(f"a checkpoint has at most {MAX_CHECKPOINT} bytes as JSON, this one has {len(text)}")
        note(b"checkpoint", text)

    def progress(fraction, message=None):
        """Shows how far the program is: a number from 0 to 1, and a few words."""
        fraction = float(fraction)
        if not 0 <= fraction <= 1:
            raise ValueError(f"progress is a number from 0 to 1, not {fraction}")
        words = None if message is None else str(message)[:MAX_MESSAGE]
        note(b"progress", encode([fraction, words]).encode())

    for function in (checkpoint, progress):
        function.__module__ = "hourglass"
        setattr(module, function.__name__, function)
    return module
