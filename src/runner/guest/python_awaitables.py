"""What a program leaves as its value but has not awaited: coroutines, futures, async generators."""

from collections.abc import Awaitable
from types import AsyncGeneratorType, CoroutineType, GeneratorType

from python_namespace import import_own
from serialiser import MAX_ELEMENTS

# Of a generator that `types.coroutine` made one that can be awaited.
_CO_ITERABLE_COROUTINE = 0x100


def run_to_end(code, namespace, name_of_promise):
    """
    Runs the program, at its top level awaiting or not; then awaits its value, in the event loop that the program had.

    `name_of_promise()` is the global that holds a value to await, or None. Raises what the program raises, or what
    awaiting its value raises: both are the program's own.
    """
    program = eval(code, namespace)
    if program is None and name_of_promise() is None:
        return
    # `asyncio.run`, with a second step in its loop: tasks that the program left are cancelled after it.
    with import_own("asyncio").Runner() as runner:
        if program is not None:
            runner.run(program)
        name = name_of_promise()
        if name is not None:
            namespace[name] = _settle(namespace[name], runner)


def is_promise(value):
    """Whether a value can be awaited, or collected by awaiting, and has not been."""
    if isinstance(value, CoroutineType):
        # One that has run, or runs, cannot be awaited (again).
        return value.cr_frame is not None and not value.cr_running and not value.cr_suspended
    if _is_future(value):
        return not value.done() and not value.get_loop().is_closed()
    return isinstance(value, (AsyncGeneratorType, Awaitable)) or _is_awaitable_generator(value)


def _is_future(value):
    # As `asyncio.isfuture` has it; asyncio is not loaded for this alone.
    return getattr(type(value), "_asyncio_future_blocking", None) is not None and hasattr(value, "get_loop")


def _is_awaitable_generator(value):
    return isinstance(value, GeneratorType) and bool(value.gi_code.co_flags & _CO_ITERABLE_COROUTINE)


def _settle(value, runner):
    if _is_future(value) and value.get_loop() is not runner.get_loop():
        return value.get_loop().run_until_complete(value)
    return runner.run(_collect(value) if isinstance(value, AsyncGeneratorType) else _await(value))


async def _await(value):
    return await value


async def _collect(generator):
    """Its elements; one more than a result may have is enough to see that there are too many."""
    items = []
    async for item in generator:
        items.append(item)
        if len(items) > MAX_ELEMENTS:
            break
    return items
