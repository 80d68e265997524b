"""The program once more, in a process that multiprocessing started by `spawn` or `forkserver`."""


def _load():
    import os
    import sys
    import threading

    sys.dont_write_bytecode = True
    guest_dir = os.path.dirname(os.path.abspath(__file__))
    before, path = frozenset(sys.modules), sys.path[:]
    # Not below the user's folder, where a module may have the name of one of these.
    sys.path[:] = [guest_dir, *(entry for entry in path if entry and not entry.startswith("/sandbox"))]
    import json

    from hourglass_module import make_module
    from inputs import load_inputs, usable_as_globals
    from places import PRIVATE, SANDBOX
    from python_source import FILE_NAME, compile_source, remember_lines
    from tracebacks import install_hooks

    sys.path[:] = path
    for name in frozenset(sys.modules) - before:
        ours = (getattr(sys.modules[name], "__file__", None) or "").startswith(guest_dir)
        top = f"{SANDBOX}/{name.partition('.')[0]}"
        if ours or os.path.isfile(f"{top}.py") or os.path.isfile(f"{top}/__init__.py"):
            del sys.modules[name]
    install_hooks(threading)
    with open(f"{PRIVATE}/program.json", "rb") as file:
        job = json.load(file)
    main_file = f"{SANDBOX}/main.py"
    remember_lines(job["source"], FILE_NAME, main_file)
    inputs = load_inputs(job["inputs"], job["fileVariables"])
    names = {"__file__": main_file, "inputs": inputs}
    if not os.path.exists(f"{SANDBOX}/hourglass.py"):
        names["hourglass"] = sys.modules["hourglass"] = make_module(None, None)
    names |= usable_as_globals(inputs)
    return compile_source(job["source"]), names


def _run(namespace):
    code, names = _load()
    for name in ("_load", "_run"):
        del namespace[name]
    namespace.update(names)
    program = eval(code, namespace)
    if program is not None:
        import asyncio

        asyncio.run(program)


_run(globals())
