"""Paths inside the sandbox and the environment of programs."""

import os

SANDBOX = "/sandbox"
TMP = "/tmp"
# Files of ours that programs and runtimes share: program text, inputs, figures. Owned by the program's user.
PRIVATE_NAME = ".hourglass"
PRIVATE = f"{TMP}/{PRIVATE_NAME}"
FIGURES = f"{PRIVATE}/figures"
MAX_FIGURES = 20
MATPLOTLIB_CONFIG = f"{PRIVATE}/mplconfig"
GUEST_DIR = os.path.dirname(os.path.abspath(__file__))
MATPLOTLIB_PREBUILT = f"{os.path.dirname(GUEST_DIR)}/mplconfig"

# One thread a library: a warm guest must have one thread to be forked, and a sandbox rarely has more than one core.
THREAD_LIMITS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}

PROGRAM_ENVIRONMENT = {
    "PATH": "/opt/venv/bin:/usr/local/bin:/usr/bin:/bin",
    "HOME": SANDBOX,
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "USER": "sandbox",
    "LOGNAME": "sandbox",
    "SHELL": "/bin/bash",
    "PWD": SANDBOX,
    "TMPDIR": TMP,
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": MATPLOTLIB_CONFIG,
    **THREAD_LIMITS,
}


def prepare_private_folder():
    """Creates our folder below /tmp, with matplotlib's prebuilt font cache where the image has one."""
    os.makedirs(FIGURES, mode=0o700, exist_ok=True)
    os.chmod(PRIVATE, 0o700)
    os.makedirs(MATPLOTLIB_CONFIG, mode=0o700, exist_ok=True)
    if not os.path.isdir(MATPLOTLIB_PREBUILT):
        return
    for name in os.listdir(MATPLOTLIB_PREBUILT):
        with open(f"{MATPLOTLIB_PREBUILT}/{name}", "rb") as source, open(f"{MATPLOTLIB_CONFIG}/{name}", "wb") as copy:
            copy.write(source.read())


def replace_private(name, data):
    """As `write_private`, but safe where programs have been: follows no link, and whoever has the old file open keeps it."""
    path = f"{PRIVATE}/{name}"
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
    return path


def write_private(name, data):
    """Writes one file of ours and returns its path."""
    path = f"{PRIVATE}/{name}"
    with open(path, "wb") as file:
        file.write(data)
    return path
