"""PID 1 of a sandbox container: docs/protocol.md says what it does."""

import sys

STARTUP_MODULES = frozenset(sys.modules)

import os  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from channel import HostChannel  # noqa: E402
from frames import VERSION, ToHost  # noqa: E402
from guest import EXIT_FATAL, Guest  # noqa: E402
from pipes import ProgramPipes  # noqa: E402
from places import prepare_private_folder  # noqa: E402
from processes import ForkedProgram, install_child_signal, protect_guest  # noqa: E402

# In a fork the guest's objects must never be collected: they would close descriptors that belong to the program by then.
ALIVE = []


def load_runtime(name):
    """The class of a runtime; the others, and what they need, are not loaded."""
    if name == "python":
        from python_runtime import PythonRuntime as runtime
    elif name == "javascript":
        from javascript_runtime import JavaScriptRuntime as runtime
    else:
        from shell_runtime import ShellRuntime as runtime
    return runtime


def read_options(argv):
    """`--name value` pairs of the command line."""
    options = dict(zip(argv[::2], argv[1::2]))
    preload = [name for name in options.get("--preload", "").split(",") if name]
    return options["--runtime"], preload, int(options["--lease-ms"]), options.get("--hurry") == "yes"


def serve(argv):
    """Boots the runtime, says READY and serves; returns the exit code."""
    if os.getpid() != 1:
        # Ending a run means killing every process in sight: only right where all of them are ours.
        sys.exit("the guest runs as PID 1 of a container only")
    name, preload, lease_ms, hurry = read_options(argv)
    protect_guest()
    channel = HostChannel()
    wakeup_fd = install_child_signal()
    pipes = ProgramPipes()
    try:
        prepare_private_folder()
        runtime = load_runtime(name)(STARTUP_MODULES, hurry)
        ALIVE.extend([channel, pipes, runtime])
        warm = runtime.boot(preload, pipes)
    except Exception as error:
        channel.send_json(ToHost.FATAL, {"message": f"the {name} runtime did not start: {error}"})
        channel.drain(1.0)
        return EXIT_FATAL
    ready = {"protocol": VERSION, "language": name, "preload": warm, "pid": os.getpid()}
    channel.send_json(ToHost.READY, ready)
    guest = Guest(runtime, pipes, channel, wakeup_fd, lease_ms, ready)
    ALIVE.append(guest)
    return guest.serve()


program = None
try:
    exit_code = serve(sys.argv[1:])
except ForkedProgram as fork:
    program = fork.run
if program is not None:
    # A fork that becomes the user's program. It runs from here because the stack is shallow here: recursion as deep as
    # in any Python is possible, and nothing of the guest's loop lies below the program.
    program()
sys.exit(exit_code)
