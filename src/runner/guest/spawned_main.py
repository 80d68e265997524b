"""The program once more, in a process that multiprocessing started by `spawn` or `forkserver`."""


def _load():
    import json
    import os
    import sys

    sys.dont_write_bytecode = True
    guest_dir = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, guest_dir)
    try:
        from inputs import load_inputs
        from places import PRIVATE, SANDBOX
        from python_source import FILE_NAME, compile_source, remember_lines
    finally:
        sys.path.remove(guest_dir)
    for name in ("inputs", "places", "python_source"):
        del sys.modules[name]
    with open(f"{PRIVATE}/program.json", "rb") as file:
        job = json.load(file)
    main_file = f"{SANDBOX}/main.py"
    remember_lines(job["source"], FILE_NAME, main_file)
    inputs = load_inputs(job["inputs"], job["fileVariables"])
    names = {"__file__": main_file, "inputs": inputs, **inputs}
    return compile_source(job["source"]), names


_code, _names = _load()
globals().update(_names)
del _load, _names
exec(globals().pop("_code"))
