"""How each class of Python's own values becomes JSON: two tables, the first entry that fits decides."""

import base64
import collections
import collections.abc
import datetime
import enum
import itertools
import math
import numbers
import types

from serialiser_promises import unawaited

# Iterators that a program may leave as its result; others (files, cursors) are not for us to use up.
_ITERATORS = (
    types.GeneratorType,
    map,
    filter,
    zip,
    enumerate,
    reversed,
    range,
    type(reversed([])),
    collections.abc.KeysView,
    collections.abc.ValuesView,
    collections.abc.ItemsView,
    *(type(iter(sample)) for sample in ([], (), {}, set(), range(0), "", b"", {}.values(), {}.items())),
)


def finite(value):
    """A float as JSON knows it: NaN and infinity are null."""
    return value if math.isfinite(value) else None


def _materialised(conversion, value, depth):
    items = list(itertools.islice(iter(value), conversion.max_elements + 1))
    return conversion.items(items, depth, value)


def _sorted_set(conversion, value, depth):
    try:
        items = sorted(value)
    except TypeError:
        items = sorted(value, key=lambda item: (type(item).__name__, str(item)))
    return conversion.items(items, depth, value)


def _base64(conversion, value, _depth):
    return conversion.text(base64.b64encode(bytes(value)).decode("ascii"))


def _isoformat(conversion, value, _depth):
    return conversion.text(str(value.isoformat()))


def _string(conversion, value, _depth):
    text = str(value)
    return conversion.text(text if type(text) is str else str.__str__(text))


def _dataclass(conversion, value, depth):
    # As `dataclasses.fields` has it; that module is not loaded for this alone.
    fields = [name for name, field in type(value).__dataclass_fields__.items() if _is_field(field)]
    return conversion.mapping({name: getattr(value, name) for name in fields if hasattr(value, name)}, depth, value)


def _is_field(field):
    return getattr(field._field_type, "name", None) == "_FIELD"


def _model(conversion, value, depth):
    # A root model is what it holds.
    return conversion.plain(value.model_dump(), depth)


def _attrs(conversion, value, depth):
    names = [field.name for field in type(value).__attrs_attrs__ if hasattr(value, field.name)]
    return conversion.mapping({name: getattr(value, name) for name in names}, depth, value)


def _dict(conversion, value, depth):
    return conversion.mapping(value, depth, value)


def _list(conversion, value, depth):
    return conversion.items(value if type(value) is list else list(value), depth, value)


EXACT = {
    int: lambda conversion, value, _depth: conversion.integer(value),
    float: lambda _conversion, value, _depth: finite(value),
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
    ((str, collections.UserString), _string),
    ((int, numbers.Integral), lambda conversion, value, _depth: conversion.integer(int(value))),
    (float, lambda _conversion, value, _depth: finite(float(value))),
    ((bytes, bytearray), _base64),
    ((datetime.date, datetime.time), _isoformat),
    (_ITERATORS, _materialised),
    ((types.CoroutineType, types.AsyncGeneratorType), unawaited),
    ((set, frozenset, collections.abc.Set), _sorted_set),
    (collections.abc.Mapping, _dict),
    (collections.abc.Sequence, _list),
)


def by_class(kind):
    """The converter of a class that is in neither table."""
    if issubclass(kind, type):
        return _string
    if hasattr(kind, "__dataclass_fields__"):
        return _dataclass
    if isinstance(getattr(kind, "__attrs_attrs__", None), tuple):
        return _attrs
    if hasattr(kind, "model_fields") and callable(getattr(kind, "model_dump", None)):
        return _model
    if kind.__module__ in ("itertools", "array"):
        return _materialised
    for classes, convert in _BY_CLASS:
        if issubclass(kind, classes):
            return convert
    return _string
