"""What a program leaves as its value but has not awaited: coroutines, futures, async generators."""

import asyncio
import inspect

from serialiser import MAX_ELEMENTS


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
    with asyncio.Runner() as runner:
        if program is not None:
            runner.run(program)
        name = name_of_promise()
        if name is not None:
            namespace[name] = _settle(namespace[name], runner)


def is_promise(value):
    """Whether a value can be awaited, or collected by awaiting, and has not been."""
    if inspect.iscoroutine(value):
        # One that has run, or runs, cannot be awaited (again).
        return inspect.getcoroutinestate(value) == inspect.CORO_CREATED
    if asyncio.isfuture(value):
        return not value.done() and not value.get_loop().is_closed()
    return inspect.isasyncgen(value) or inspect.isawaitable(value)


def _settle(value, runner):
    if asyncio.isfuture(value) and value.get_loop() is not runner.get_loop():
        return value.get_loop().run_until_complete(value)
    return runner.run(_collect(value) if inspect.isasyncgen(value) else _await(value))


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
