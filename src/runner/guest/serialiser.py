"""Values of Python programs as JSON: any value has one meaning, every bound has one clear error."""

import datetime
import enum
import json
import math
import re
import sys
import warnings

from serialiser_frames import LIBRARY_CONVERTERS
from serialiser_promises import futures
from serialiser_types import EXACT, by_class, finite

MAX_ELEMENTS = 1_000_000
# Integers beyond it do not survive a JSON parser that knows doubles only.
SAFE_INTEGER = 2**53
MAX_INTEGER_BITS = 1_000_000
FRAMES_A_LEVEL = 10

# Made here: a program may replace functions of `json`.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_SURROGATE = re.compile("[\ud800-\udfff]")
_SCALARS = frozenset((str, bool, type(None)))
_NUMBERS = frozenset((int, float))
_CONVERTERS = {**LIBRARY_CONVERTERS, "asyncio": futures, "_asyncio": futures, "concurrent": futures}


class Unserialisable(Exception):
    """A value that has no JSON form; `kind` names the class of error a caller reads, `cause` is the value's own error."""

    def __init__(self, message, kind="TypeError", cause=None):
        super().__init__(message)
        self.kind = kind
        self.cause = cause


class Limits:
    """Levels of nesting and bytes of JSON that a result may have."""

    def __init__(self, depth, max_bytes):
        self.depth = depth
        self.max_bytes = max_bytes


def to_json(value, limits):
    """JSON of any value as UTF-8 bytes, and warnings; raises Unserialisable, never anything else."""
    conversion = Conversion(limits)
    digits, frames = sys.get_int_max_str_digits(), sys.getrecursionlimit()
    sys.set_int_max_str_digits(0)
    # The bound on depth is ours and has an error of its own; it must not be Python's that is met first.
    sys.setrecursionlimit(max(frames, FRAMES_A_LEVEL * limits.depth + 1000))
    try:
        with warnings.catch_warnings(module=warnings):
            # A warning from here would name a line of ours.
            warnings.simplefilter("ignore")
            plain = conversion.plain(value, 0)
        text = _ENCODER.encode(plain)
        data = _SURROGATE.sub("\ufffd", text).encode("utf-8")
    except Unserialisable:
        raise
    except BaseException as error:
        kind = "MemoryError" if isinstance(error, MemoryError) else "TypeError"
        raise Unserialisable(_describe(error), kind, error) from None
    finally:
        sys.set_int_max_str_digits(digits)
        sys.setrecursionlimit(frames)
    if len(data) > limits.max_bytes:
        raise _too_large(limits, f"it has {len(data)} bytes")
    return data, conversion.warnings


def _too_large(limits, size):
    advice = "write it to a file and name that in outputFiles"
    return Unserialisable(f"{size}, the limit is {limits.max_bytes} bytes; {advice}", "ValueError")


def _describe(error):
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except BaseException:
        return type(error).__name__


def _library(kind):
    for base in kind.__mro__:
        package = base.__module__.partition(".")[0] if isinstance(base.__module__, str) else ""
        convert = _CONVERTERS[package](base) if package in _CONVERTERS else None
        if convert is not None:
            return convert
    return None


class Conversion:
    """One value on its way to what `json` writes as it is; counts what it has seen."""

    max_elements = MAX_ELEMENTS

    def __init__(self, limits):
        self.warnings = []
        self._limits = limits
        self._elements = 0
        self._characters = 0
        self._open = set()
        self._converters = dict(EXACT)

    def plain(self, value, depth):
        """The value as dicts, lists and scalars of exact type."""
        kind = type(value)
        if kind is str:
            return self.text(value)
        if kind is int and -SAFE_INTEGER <= value <= SAFE_INTEGER or kind in _SCALARS:
            return value
        convert = self._converters.get(kind)
        if convert is None:
            convert = self._converters[kind] = _library(kind) or by_class(kind)
        return convert(self, value, depth)

    def text(self, text):
        """A string, counted."""
        self._characters += len(text)
        if self._characters > self._limits.max_bytes:
            raise _too_large(self._limits, f"it has more than {self._characters} characters")
        return text

    def count(self, elements):
        """Counts elements before they are converted; raises Unserialisable beyond the bound."""
        self.expect(elements)
        self._elements += elements

    def expect(self, elements):
        """Raises Unserialisable where so many more elements are beyond the bound."""
        if self._elements + elements > MAX_ELEMENTS:
            advice = "write it to a file and name that in outputFiles"
            raise Unserialisable(f"it has more than {MAX_ELEMENTS} elements; {advice}", "ValueError")

    def integer(self, value):
        """An integer as a number, beyond 2^53 as a string."""
        if -SAFE_INTEGER <= value <= SAFE_INTEGER:
            return value
        if value.bit_length() > MAX_INTEGER_BITS:
            raise Unserialisable("it holds an integer of more than a million bits", "ValueError")
        return self.text(str(value))

    def items(self, values, depth, owner=None):
        """A list of converted elements; `owner` is the container they came from, for the search for cycles."""
        with_owner = values if owner is None else owner
        self._enter(with_owner, depth)
        self.count(len(values))
        kinds = set(map(type, values))
        if not kinds <= _SCALARS:
            values = self._numbers(values, kinds) if kinds <= _NUMBERS else self._mixed(values, depth)
        elif str in kinds:
            self._characters_of(values)
        self._open.discard(id(with_owner))
        return values

    def _characters_of(self, values):
        total = sum(len(value) for value in values if type(value) is str)
        self._characters += total - 1
        self.text("x" if total else "")

    def _numbers(self, values, kinds):
        if int in kinds and any(abs(value) > SAFE_INTEGER for value in values if type(value) is int):
            return [self.integer(value) if type(value) is int else finite(value) for value in values]
        if float in kinds and not all(map(math.isfinite, values)):
            return [finite(value) for value in values]
        return values

    def _mixed(self, values, depth):
        plain = self.plain
        return [plain(value, depth + 1) for value in values]

    def mapping(self, values, depth, owner):
        """A dict with keys as text; keys that become equal are kept once, with a warning."""
        self._enter(owner, depth)
        self.count(len(values))
        result = {}
        count = 0
        for key, value in values.items():
            count += 1
            name = key if type(key) is str else self.key(key)
            self._characters += len(name)
            result[name] = self.plain(value, depth + 1)
        if len(result) < count:
            self.warn(f"{count - len(result)} keys of a mapping are the same as text; the last value of each is kept")
        self._open.discard(id(owner))
        return result

    def key(self, key):
        """The text of a mapping's key: as `json` has it, dates in ISO 8601, otherwise `str()`."""
        if isinstance(key, enum.Enum):
            key = key.value
        if isinstance(key, str):
            return str.__str__(key)
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, (datetime.date, datetime.time)):
            return str(key.isoformat())
        if isinstance(key, float):
            return float.__repr__(key)
        return str(key)

    def warn(self, text):
        """Notes something the caller should know, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def _enter(self, owner, depth):
        if depth >= self._limits.depth:
            raise Unserialisable(f"it nests deeper than {self._limits.depth} levels", "ValueError")
        if id(owner) in self._open:
            raise Unserialisable("it contains a circular reference", "ValueError")
        self._open.add(id(owner))
