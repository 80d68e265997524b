"""Which places of a process can be looked at, and how its first descriptors can be opened; `attempt` comes before it."""
import os

paths = ["environ", "mem", "maps", "cwd", "root", "fd", "exe", "auxv", "stack", "syscall", "fdinfo", "map_files"]


def look(path):
    try:
        os.readlink(path) if os.path.basename(path) in ("cwd", "root", "exe") else os.listdir(path)
    except NotADirectoryError:
        open(path, "rb").read(1)


def seen(process):
    return [path for path in paths if attempt(lambda: look(f"/proc/{process}/{path}")) == "allowed"]


def opened(process):
    return [attempt(lambda: open(f"/proc/{process}/fd/{number}")) for number in range(3)]
