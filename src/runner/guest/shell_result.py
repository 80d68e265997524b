"""The result of a shell program: its variable `result`, else what it wrote to stdout."""

import json
import math
import os
import re
import stat

from places import PRIVATE
from report import clean_text
from serialiser import Limits, Unserialisable, to_json

STATE_FILE = f"{PRIVATE}/shell/state"
MAX_MESSAGE = 2000
_HINTS = {126: "; files in the sandbox cannot be executed as they are: use `bash FILE` or `python3 FILE`"}


class ShellState:
    """What the prelude wrote at the end of the main shell; all absent where it could not."""

    def __init__(self, line=None, value=None, has_result=False):
        self.line = line
        self.value = value
        self.has_result = has_result


def read_state(max_bytes):
    """The state file; raises Unserialisable where it is larger than a result may be."""
    try:
        fd = os.open(STATE_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ShellState()
    with open(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            return ShellState()
        if facts.st_size > 2 * max_bytes:
            raise Unserialisable(f"it has {facts.st_size} bytes, the limit is {max_bytes} bytes", "ValueError")
        fields = file.read(2 * max_bytes).decode("utf-8", "replace").split("\0")
    return _parse_state(fields)


def _parse_state(fields):
    if len(fields) < 4 or not fields[2].isdigit():
        return ShellState()
    line, attributes, count = int(fields[0]) if fields[0].isdigit() else None, fields[1], int(fields[2])
    keys, values = fields[3 : 3 + count], fields[3 + count : 3 + 2 * count]
    if len(values) != count:
        return ShellState(line)
    if "A" in attributes:
        return ShellState(line, {key: parse_text(value) for key, value in zip(keys, values)}, True)
    if "a" in attributes:
        return ShellState(line, [parse_text(value) for value in values], True)
    return ShellState(line, parse_text(values[0]), True) if count else ShellState(line)


def _finite_float(text):
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("beyond the range of a number")
    return number


def _refuse(_constant):
    raise ValueError("not JSON")


def parse_text(text):
    """The value of a text that is strict JSON, else the text itself."""
    try:
        return json.loads(text, parse_float=_finite_float, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def result_of_stdout(stdout, limit):
    """Text of stdout without its final newline, and a warning where the middle is missing."""
    head, tail, omitted = bytes(stdout.head), stdout.tail(), stdout.omitted()
    if stdout.total <= limit:
        text = head.decode("utf-8", "replace")
        return text.removesuffix("\n"), []
    kept = head.decode("utf-8", "ignore"), tail.decode("utf-8", "ignore")
    marker = f"\n... {omitted} bytes left out ...\n" if omitted else ""
    warning = f"stdout has {stdout.total} bytes: the result holds its beginning and its end, set `result` or write a file"
    return marker.join(kept).removesuffix("\n"), [warning]


def encode_result(value, spec):
    """JSON of a result within the bounds of the run; raises Unserialisable."""
    return to_json(value, Limits(spec["jsonDepth"], spec["maxResultBytes"]))


def describe_failure(exit_code, line):
    """Message of a program that ended with a status other than 0."""
    where = f" (line {line})" if line is not None else ""
    return f"Command exited with code {exit_code}{where}{_HINTS.get(exit_code, '')}"


def describe_syntax_error(text):
    """Message and line of what bash says about a program that it cannot parse."""
    first = text.partition("\n")[0][:MAX_MESSAGE]
    found = re.match(r"main\.sh: line (\d+): (.*)", first)
    return (found[2], int(found[1])) if found else (clean_text(first) or "the program does not parse", None)
