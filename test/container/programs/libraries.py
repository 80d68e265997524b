"""What programs really do: every heavy library, threads, processes, sockets of their own, a pseudo terminal."""
import asyncio
import os
import pty
import socket
import sqlite3
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context, shared_memory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import scipy.optimize
from PIL import Image

done = []


def square(number):
    return number * number


def numeric():
    np.linalg.svd(np.random.rand(80, 80))
    pd.DataFrame({"a": range(100)}).groupby("a").sum().to_csv("a.csv")
    pl.DataFrame({"a": list(range(1000))}).lazy().group_by("a").len().collect()
    pl.DataFrame({"a": [1]}).write_parquet("a.parquet")
    assert pl.read_parquet("a.parquet").height == 1
    scipy.optimize.minimize(lambda x: (x**2).sum(), [1, 2])


def pictures():
    plt.plot([1, 2])
    plt.savefig("a.png")
    plt.close()
    Image.open("a.png").resize((10, 10)).save("b.png")


def processes():
    fork = get_context("fork")
    with fork.Pool(2) as pool:
        assert pool.map(square, range(3)) == [0, 1, 4]
    queue = fork.Queue()
    child = fork.Process(target=queue.put, args=(3,))
    child.start()
    assert queue.get() == 3
    child.join()
    with ProcessPoolExecutor(2, mp_context=fork) as pool:
        assert sum(pool.map(square, range(3))) == 5
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(square, range(3))) == 5
    memory = shared_memory.SharedMemory(create=True, size=4096)
    memory.close()
    memory.unlink()


async def network_of_its_own():
    server = await asyncio.start_server(lambda _, writer: (writer.write(b"hi"), writer.close()), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    assert await reader.read() == b"hi"
    writer.close()
    server.close()


def system():
    asyncio.run(network_of_its_own())
    assert socket.if_nameindex()[0][1] == "lo"
    os.close(pty.openpty()[0])
    sqlite3.connect("a.db").execute("create table t (a)")
    script = "set -e; mkfifo f; (echo a > f &); cat f; cat <(echo b); flock l echo c; nice -n 5 echo d | sort"
    assert subprocess.run(["bash", "-c", script], capture_output=True, text=True).stdout == "a\nb\nc\nd\n"


for part in (numeric, pictures, processes, system):
    part()
    done.append(part.__name__)
result = done
