"""What the container's own cgroup says: memory, CPU time and out-of-memory kills, on cgroup v1 and v2."""

_ROOT = "/sys/fs/cgroup"
_UNLIMITED = 1 << 60


def _read(path):
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(4096).decode("ascii", "replace")
    except OSError:
        return None


def _number(path):
    text = _read(path)
    return int(text) if text is not None and text.strip().isdigit() else None


def _field(path, name):
    for line in (_read(path) or "").splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdigit():
            return int(value)
    return None


def _first(*readings):
    return next((reading for reading in readings if reading is not None), None)


def oom_kills():
    """Processes the kernel has killed for memory in this container; 0 where it cannot be told (gVisor)."""
    found = _first(
        _field(f"{_ROOT}/memory.events", "oom_kill"), _field(f"{_ROOT}/memory/memory.oom_control", "oom_kill")
    )
    return found or 0


def memory_in_use():
    """Bytes in use now, or None."""
    return _first(_number(f"{_ROOT}/memory.current"), _number(f"{_ROOT}/memory/memory.usage_in_bytes"))


def memory_held():
    """Bytes in use now that cannot be had back by forgetting what files hold, or None."""
    used = memory_in_use()
    if used is None:
        return None
    stat = next((path for path in (f"{_ROOT}/memory.stat", f"{_ROOT}/memory/memory.stat") if _read(path)), None)
    files = 0 if stat is None else sum(_field(stat, name) or 0 for name in ("active_file", "inactive_file"))
    return max(0, used - files)


def memory_peak():
    """Most bytes that were in use at a time, or None."""
    return _first(_number(f"{_ROOT}/memory.peak"), _number(f"{_ROOT}/memory/memory.max_usage_in_bytes"))


def memory_limit():
    """Bytes the container may use, or None where there is no limit."""
    limit = _first(_number(f"{_ROOT}/memory.max"), _number(f"{_ROOT}/memory/memory.limit_in_bytes"))
    return limit if limit is not None and limit < _UNLIMITED else None


def cpu_ms():
    """CPU time of the container so far in milliseconds, or None."""
    microseconds = _field(f"{_ROOT}/cpu.stat", "usage_usec")
    if microseconds is not None:
        return microseconds / 1000
    nanoseconds = _first(_number(f"{_ROOT}/cpuacct/cpuacct.usage"), _number(f"{_ROOT}/cpu,cpuacct/cpuacct.usage"))
    return None if nanoseconds is None else nanoseconds / 1e6


class Usage:
    """What a run used: differences to the moment this was made."""

    def __init__(self, is_first):
        self._memory = memory_in_use()
        # The counter cannot be set back: a later run has a peak of its own only where it exceeds those before.
        self._peak_before = None if is_first else memory_peak()
        self._cpu_ms = cpu_ms()
        self._oom_kills = oom_kills()

    def oom_kills(self):
        """Out-of-memory kills since the start."""
        return oom_kills() - self._oom_kills

    def peak_memory_bytes(self):
        """Peak above what the guest itself held at the start, or None."""
        peak = memory_peak()
        if peak is None or self._memory is None or (self._peak_before is not None and peak <= self._peak_before):
            return None
        return max(0, peak - self._memory)

    def cpu_ms(self):
        """CPU time in milliseconds, or None."""
        now = cpu_ms()
        return None if now is None or self._cpu_ms is None else round(now - self._cpu_ms, 3)
