"""What has a value later or not at all: futures that are done count as their values, the rest is text with a warning."""


def _future(conversion, value, depth):
    if value.done() and not value.cancelled() and value.exception() is None:
        return conversion.plain(value.result(), depth)
    conversion.warn("a future in the result has no value: it was cancelled, failed, or was never awaited")
    return conversion.text(str(value))


def unawaited(conversion, value, _depth):
    """A coroutine or an async generator within a result: only the result itself is awaited."""
    conversion.warn(f"a {type(value).__name__} in the result was not awaited: await it, or asyncio.gather() several")
    return conversion.text(str(value))


def futures(base):
    """The converter of a class of asyncio or concurrent.futures, if it is that of futures."""
    return _future if base.__name__ == "Future" else None
