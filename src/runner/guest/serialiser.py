"""Values of Python programs as JSON: any value has one meaning, every bound has one clear error."""

import base64
import collections
import collections.abc
import dataclasses
import datetime
import enum
import itertools
import json
import math
import re
import sys
import types

from serialiser_frames import LIBRARY_CONVERTERS

MAX_ELEMENTS = 1_000_000
# Integers beyond it do not survive a JSON parser that knows doubles only.
SAFE_INTEGER = 2**53
MAX_INTEGER_BITS = 1_000_000
FRAMES_A_LEVEL = 10

_SURROGATE = re.compile("[\ud800-\udfff]")
_SCALARS = frozenset((str, bool, type(None)))
_NUMBERS = frozenset((int, float))
# Iterators that a program may leave as its result; others (files, cursors) are not for us to use up.
_ITERATORS = (
    types.GeneratorType,
    map,
    filter,
    zip,
    enumerate,
    reversed,
    range,
    collections.abc.KeysView,
    collections.abc.ValuesView,
    collections.abc.ItemsView,
    *(type(iter(sample)) for sample in ([], (), {}, set(), range(0), "", b"", {}.values(), {}.items())),
)


class Unserialisable(Exception):
    """A value that has no JSON form; `kind` names the class of error a caller reads."""

    def __init__(self, message, kind="TypeError"):
        super().__init__(message)
        self.kind = kind


@dataclasses.dataclass(frozen=True)
class Limits:
    """Levels of nesting and bytes of JSON that a result may have."""

    depth: int
    max_bytes: int


def to_json(value, limits):
    """JSON of any value as UTF-8 bytes, and warnings; raises Unserialisable, never anything else."""
    conversion = Conversion(limits)
    digits, frames = sys.get_int_max_str_digits(), sys.getrecursionlimit()
    sys.set_int_max_str_digits(0)
    # The bound on depth is ours and has an error of its own; it must not be Python's that is met first.
    sys.setrecursionlimit(max(frames, FRAMES_A_LEVEL * limits.depth + 1000))
    try:
        plain = conversion.plain(value, 0)
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        data = _SURROGATE.sub("\ufffd", text).encode("utf-8")
    except Unserialisable:
        raise
    except BaseException as error:
        raise Unserialisable(_describe(error), "MemoryError" if isinstance(error, MemoryError) else "TypeError") from None
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


class Conversion:
    """One value on its way to what `json` writes as it is; counts what it has seen."""

    def __init__(self, limits):
        self.warnings = []
        self._limits = limits
        self._elements = 0
        self._characters = 0
        self._open = set()

    def plain(self, value, depth):
        """The value as dicts, lists and scalars of exact type."""
        kind = type(value)
        if kind is str:
            return self.text(value)
        if kind in _SCALARS:
            return value
        convert = _EXACT.get(kind) or self._library(kind) or _by_class(value)
        return convert(self, value, depth)

    @staticmethod
    def _library(kind):
        for base in kind.__mro__:
            package = base.__module__.partition(".")[0] if isinstance(base.__module__, str) else ""
            if package in LIBRARY_CONVERTERS:
                convert = LIBRARY_CONVERTERS[package](base)
                if convert is not None:
                    return convert
        return None

    def text(self, text):
        """A string, counted."""
        self._characters += len(text)
        if self._characters > self._limits.max_bytes:
            raise _too_large(self._limits, f"it has more than {self._characters} characters")
        return text

    def count(self, elements):
        """Counts elements before they are converted; raises Unserialisable beyond the bound."""
        self._elements += elements
        if self._elements > MAX_ELEMENTS:
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
            return [self.integer(value) if type(value) is int else _finite(value) for value in values]
        if float in kinds and not all(map(math.isfinite, values)):
            return [_finite(value) for value in values]
        return values

    def _mixed(self, values, depth):
        plain = self.plain
        return [plain(value, depth + 1) for value in values]

    def mapping(self, pairs, depth, owner):
        """A dict with keys as text; keys that become equal are kept once, with a warning."""
        self._enter(owner, depth)
        result = {}
        count = 0
        for key, value in pairs:
            count += 1
            self.count(1)
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
            raise Unserialisable("it contains itself (a cycle)", "ValueError")
        self._open.add(id(owner))


def _finite(value):
    return value if math.isfinite(value) else None


def _materialised(conversion, value, depth):
    items = list(itertools.islice(iter(value), MAX_ELEMENTS + 1))
    return conversion.items(items, depth, value)


def _sorted_set(conversion, value, depth):
    try:
        items = sorted(value)
    except TypeError:
        items = sorted(value, key=lambda item: (type(item).__name__, str(item)))
    return conversion.items(items, depth, value)


def _base64(conversion, value, _depth):
    return conversion.text(base64.b64encode(value).decode("ascii"))


def _isoformat(conversion, value, _depth):
    return conversion.text(str(value.isoformat()))


def _string(conversion, value, _depth):
    text = str(value)
    return conversion.text(text if type(text) is str else str.__str__(text))


def _dataclass(conversion, value, depth):
    pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value) if hasattr(value, field.name))
    return conversion.mapping(pairs, depth, value)


def _model(conversion, value, depth):
    return conversion.mapping(value.model_dump().items(), depth, value)


def _dict(conversion, value, depth):
    return conversion.mapping(value.items(), depth, value)


def _list(conversion, value, depth):
    return conversion.items(value if type(value) is list else list(value), depth, value)


_EXACT = {
    int: lambda conversion, value, _depth: conversion.integer(value),
    float: lambda _conversion, value, _depth: _finite(value),
    list: _list,
    tuple: _list,
    dict: _dict,
    set: _sorted_set,
    frozenset: _sorted_set,
    bytes: _base64,
    bytearray: _base64,
    memoryview: _base64,
    datetime.datetime: _isoformat,
    datetime.date: _isoformat,
    datetime.time: _isoformat,
}

# In this order: the first class that fits decides.
_BY_CLASS = (
    (enum.Enum, lambda conversion, value, depth: conversion.plain(value.value, depth)),
    (str, _string),
    (int, lambda conversion, value, _depth: conversion.integer(int(value))),
    (float, lambda _conversion, value, _depth: _finite(float(value))),
    ((bytes, bytearray), _base64),
    ((datetime.date, datetime.time), _isoformat),
    ((set, frozenset, collections.abc.Set), _sorted_set),
    (collections.abc.Mapping, _dict),
    (_ITERATORS, _materialised),
    (collections.abc.Sequence, _list),
)


def _by_class(value):
    kind = type(value)
    if issubclass(kind, type):
        return _string
    if hasattr(kind, "__dataclass_fields__"):
        return _dataclass
    if hasattr(kind, "model_fields") and callable(getattr(kind, "model_dump", None)):
        return _model
    if kind.__module__ in ("itertools", "array"):
        return _materialised
    for classes, convert in _BY_CLASS:
        if issubclass(kind, classes) and kind is not str:
            return convert
    return _string
