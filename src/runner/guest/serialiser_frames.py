"""NumPy, pandas and polars values; each converter is found by the name of the library, none is imported for it."""

import sys


def _numpy(base):
    return {"ndarray": _array, "generic": _numpy_scalar}.get(base.__name__)


def _array(conversion, value, depth):
    conversion.expect(value.size)
    if value.ndim == 0:
        # `numpy.ma.masked` holds itself.
        return conversion.plain(value.tolist() if type(value).__name__ == "MaskedConstant" else value[()], depth)
    plain = _array_values(value)
    return conversion.items(plain, depth, value)


def _array_values(value):
    kind = value.dtype.kind
    numpy = sys.modules["numpy"]
    if kind == "M":
        text = numpy.datetime_as_string(value).astype(object)
        text[numpy.isnat(value)] = None
        return text.tolist()
    if kind == "m":
        text = value.astype(str).astype(object)
        text[numpy.isnat(value)] = None
        return text.tolist()
    if kind == "f" and value.dtype.itemsize > 8:
        return value.astype(float).tolist()
    return value.tolist()


def _numpy_scalar(conversion, value, depth):
    kind = value.dtype.kind
    if kind in "Mm":
        text = str(value)
        return None if text == "NaT" else conversion.text(text)
    if kind == "f":
        return conversion.plain(float(value), depth)
    if kind == "c":
        return conversion.text(str(value.item()))
    item = value.item()
    return conversion.text(str(item)) if type(item) is type(value) else conversion.plain(item, depth)


_PANDAS_NULLS = ("NaTType", "NAType")


def _pandas(base):
    if base.__name__ in _PANDAS_NULLS:
        return lambda *_: None
    return {
        "DataFrame": _frame,
        "Series": _series,
        "Index": _index,
        "ExtensionArray": _index,
        "Timestamp": lambda conversion, value, _depth: conversion.text(value.isoformat()),
        "Timedelta": lambda conversion, value, _depth: conversion.text(str(value)),
        "Period": lambda conversion, value, _depth: conversion.text(str(value)),
        "Interval": lambda conversion, value, _depth: conversion.text(str(value)),
    }.get(base.__name__)


def _cells(conversion, column, depth):
    """Values of one column, index or array, already plain."""
    pandas = sys.modules["pandas"]
    dtype = column.dtype
    if getattr(dtype, "kind", "O") in "biuf" and type(dtype).__module__.startswith("numpy"):
        return conversion.items(column.tolist(), depth)
    values = column.astype(object)
    values = values.to_numpy() if hasattr(values, "to_numpy") else values
    missing = pandas.isna(values)
    items = [None if gone else value for value, gone in zip(values.tolist(), missing.tolist())]
    return conversion.items(items, depth)


def _label(conversion, key):
    """One label of an index as the text of a JSON key; the levels of a MultiIndex are joined."""
    if isinstance(key, tuple):
        return "_".join(_label(conversion, part) for part in key)
    return conversion.key(key)


def _pair_up(conversion, labels, values, what):
    result = dict(zip(labels, values))
    if len(result) < len(labels):
        conversion.warn(f"{len(labels) - len(result)} {what} have the same name; the last of each is kept")
    return result


def _frame(conversion, value, depth):
    rows, width = value.shape
    conversion.count(rows)
    if value.index.names != [None] or getattr(value.index.dtype, "kind", "O") not in "iu":
        conversion.warn("the index of a frame is not part of its records: reset_index() makes it a column")
    names = [_label(conversion, name) for name in value.columns]
    columns = [_cells(conversion, value.iloc[:, index], depth + 1) for index in range(width)]
    kept = _pair_up(conversion, names, columns, "columns")
    return [dict(zip(kept, row)) for row in zip(*kept.values())] if width else [{} for _ in range(rows)]


def _series(conversion, value, depth):
    cells = _cells(conversion, value, depth)
    index = value.index
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return cells
    labels = [_label(conversion, key) for key in index.tolist()]
    return _pair_up(conversion, labels, cells, "labels of a series")


def _index(conversion, value, depth):
    if type(value).__name__ == "MultiIndex":
        return conversion.items(value.tolist(), depth)
    return _cells(conversion, value, depth)


def _polars(base):
    return {"DataFrame": _polars_frame, "Series": _polars_series}.get(base.__name__)


def _polars_frame(conversion, value, depth):
    conversion.count(value.height)
    columns = {name: conversion.items(value[name].to_list(), depth + 1) for name in value.columns}
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def _polars_series(conversion, value, depth):
    return conversion.items(value.to_list(), depth)


# From the first part of a class's module name to a function that knows the converter of a class, if there is one.
LIBRARY_CONVERTERS = {"numpy": _numpy, "pandas": _pandas, "polars": _polars}
