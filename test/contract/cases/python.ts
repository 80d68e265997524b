import type { LanguageCase } from './case';

export const PYTHON_CASES: readonly LanguageCase[] = [
  {
    title: 'the variable result is the result',
    code: 'result = {"a": [1, 2.5, None, True, "x"]}',
    expect: { exitCode: 0, result: { a: [1, 2.5, null, true, 'x'] } },
  },
  {
    title: 'the last expression is the result where no variable is set',
    code: 'x = 20\nx * 2 + 2',
    expect: { result: 42 },
  },
  { title: 'the variable wins over the last expression', code: 'result = 1\n2', expect: { result: 1 } },
  { title: 'no result is null', code: 'x = 1', expect: { exitCode: 0, result: null } },
  {
    title: 'inputs are globals and also in inputs',
    code: 'result = [a, inputs["a"], sorted(inputs)]',
    request: { inputData: { a: [1], b: 'ß' } },
    expect: { result: [[1], [1], ['a', 'b']] },
  },
  {
    title: 'a staged file is there and its text is in a variable',
    code: 'result = [open("data/in.txt", encoding="utf-8").read(), text]',
    files: { 'data/in.txt': 'grün\n' },
    request: { inputFiles: [{ path: 'data/in.txt', variableName: 'text' }] },
    expect: { result: ['grün\n', 'grün\n'] },
  },
  {
    title: 'a staged module can be imported',
    code: 'import helper\nfrom pkg.mod import twice\nresult = [helper.NAME, twice(4)]',
    files: { 'helper.py': 'NAME = "h"\n', 'pkg/mod.py': 'def twice(x):\n    return 2 * x\n' },
    request: { inputFiles: [{ path: 'helper.py' }, { path: 'pkg/mod.py' }] },
    expect: { result: ['h', 8] },
  },
  {
    title: 'stdin is read to its end',
    code: 'import sys\nresult = [input(), sys.stdin.read()]',
    request: { stdin: 'one\ntwo\n' },
    expect: { result: ['one', 'two\n'] },
  },
  { title: 'stdin without data ends at once', code: 'import sys\nresult = sys.stdin.read()', expect: { result: '' } },
  {
    title: 'top-level await works',
    code: 'import asyncio\nawait asyncio.sleep(0)\nasync def f():\n    return 7\nresult = await f()',
    expect: { result: 7 },
  },
  {
    title: 'an awaited last expression is the result',
    code: 'import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return "done"\nawait f()',
    expect: { result: 'done' },
  },
  {
    title: 'asyncio.run works',
    code: 'import asyncio\nasync def main():\n    return 3\nresult = asyncio.run(main())',
    expect: { result: 3 },
  },
  {
    title: 'the main guard runs',
    code: 'def main():\n    global result\n    result = "main"\nif __name__ == "__main__":\n    main()',
    expect: { result: 'main' },
  },
  {
    title: 'a pool of processes works',
    code: 'from multiprocessing import Pool\ndef sq(x):\n    return x * x\nif __name__ == "__main__":\n    with Pool(2) as p:\n        result = p.map(sq, range(5))',
    expect: { result: [0, 1, 4, 9, 16] },
  },
  {
    title: 'multiprocessing with spawn works',
    code: 'import multiprocessing as mp\ndef sq(x):\n    return x * x\nif __name__ == "__main__":\n    with mp.get_context("spawn").Pool(1) as p:\n        result = p.map(sq, [3])',
    expect: { result: [9] },
  },
  {
    title: 'a process pool executor works',
    code: 'from concurrent.futures import ProcessPoolExecutor\ndef f(x):\n    return x + 1\nif __name__ == "__main__":\n    with ProcessPoolExecutor(2) as ex:\n        result = list(ex.map(f, [1, 2]))',
    expect: { result: [2, 3] },
  },
  {
    title: 'threads are joined before the result is read',
    code: 'import threading, time\nresult = 0\ndef work():\n    global result\n    time.sleep(0.05)\n    result = 5\nthreading.Thread(target=work).start()',
    expect: { result: 5 },
  },
  {
    title: 'subprocess works',
    code: 'import subprocess, sys\nresult = subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, text=True).stdout',
    expect: { result: '42\n' },
  },
  {
    title: 'sys.exit sets the exit code and keeps the result',
    code: 'import sys\nresult = 1\nsys.exit(3)',
    expect: { exitCode: 3, result: 1, errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'sys.exit without a code is success',
    code: 'import sys\nresult = 1\nsys.exit()',
    expect: { exitCode: 0, result: 1 },
  },
  {
    title: 'sys.exit with text prints it and is 1',
    code: 'import sys\nsys.exit("bad luck")',
    expect: { exitCode: 1, stderrIncludes: ['bad luck'], errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'atexit handlers run',
    code: 'import atexit\natexit.register(print, "bye")\nresult = 1',
    expect: { result: 1, stdout: 'bye\n' },
  },
  {
    title: 'os._exit is reported as the program set it',
    code: 'import os\nprint("x", flush=True)\nos._exit(7)',
    expect: { exitCode: 7, stdout: 'x\n', errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'an exception has the user lines and none of ours',
    code: 'def f(x):\n    return 1 / x\n\nf(0)',
    expect: {
      exitCode: 1,
      result: null,
      errorCode: 'RUNTIME_ERROR',
      errorType: 'ZeroDivisionError',
      errorMessageIncludes: ['division by zero'],
      errorLine: 2,
      tracebackIncludes: ['File "<code>", line 4', 'return 1 / x'],
      tracebackExcludes: ['/opt/hourglass', 'main.py'],
      stderrIncludes: ['ZeroDivisionError: division by zero'],
    },
  },
  {
    title: 'a chained exception keeps its cause',
    code: 'try:\n    int("x")\nexcept ValueError as e:\n    raise KeyError("k") from e',
    expect: { exitCode: 1, errorType: 'KeyError', tracebackIncludes: ['invalid literal', 'direct cause'] },
  },
  {
    title: 'a syntax error has a line and a caret',
    code: 'x = 1\ny = (2 +\n',
    expect: {
      exitCode: 1,
      errorCode: 'SYNTAX_ERROR',
      errorType: 'SyntaxError',
      errorLine: 2,
      stderrIncludes: ['^', 'File "<code>", line 2'],
    },
  },
  {
    title: 'an indentation error is a syntax error',
    code: 'if True:\nx = 1',
    expect: { errorCode: 'SYNTAX_ERROR', errorType: 'IndentationError', errorLine: 2 },
  },
  {
    title: 'a SyntaxError raised at run time is a runtime error',
    code: 'eval("1 +")',
    expect: { errorCode: 'RUNTIME_ERROR', errorType: 'SyntaxError' },
  },
  {
    title: 'deep recursion is an error, not a crash',
    code: 'def f():\n    return f()\nf()',
    expect: { exitCode: 1, errorType: 'RecursionError' },
  },
  {
    title: 'a crash of the interpreter is KILLED and names the signal',
    code: 'import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)',
    expect: { exitCode: 139, errorCode: 'KILLED', errorMessageIncludes: ['SIGSEGV'] },
  },
  {
    title: 'NumPy becomes JSON',
    code: 'import numpy as np\nresult = {"a": np.arange(3), "f": np.float32(1.5), "i": np.int64(7), "b": np.bool_(True), "n": np.array([1.0, np.nan, np.inf]), "m": np.eye(2, dtype=int)}',
    expect: {
      result: {
        a: [0, 1, 2],
        f: 1.5,
        i: 7,
        b: true,
        n: [1, null, null],
        m: [
          [1, 0],
          [0, 1],
        ],
      },
    },
  },
  {
    title: 'a pandas frame becomes records',
    code: 'import pandas as pd\nresult = pd.DataFrame({"n": [1, 2], "s": ["a", None], "t": pd.to_datetime(["2024-01-02", None]), "f": [1.5, float("nan")]})',
    expect: {
      result: [
        { n: 1, s: 'a', t: '2024-01-02T00:00:00', f: 1.5 },
        { n: 2, s: null, t: null, f: null },
      ],
    },
  },
  {
    title: 'a pandas series becomes a list or a mapping',
    code: 'import pandas as pd\nresult = [pd.Series([1, 2]), pd.Series([1, 2], index=["x", "y"])]',
    expect: { result: [[1, 2], { x: 1, y: 2 }] },
  },
  {
    title: 'polars becomes JSON',
    code: 'import polars as pl\nresult = [pl.DataFrame({"a": [1, None]}), pl.Series("s", [1, 2])]',
    expect: {
      result: [
        [{ a: 1 }, { a: null }],
        [1, 2],
      ],
    },
  },
  {
    title: 'standard types become JSON',
    code: 'import datetime as d, decimal, uuid, pathlib, enum, dataclasses, collections\nclass C(enum.Enum):\n    RED = "red"\n@dataclasses.dataclass\nclass P:\n    x: int\n    tags: set\nresult = [d.datetime(2024, 1, 2, 3, 4, 5), d.date(2024, 1, 2), d.time(3, 4), decimal.Decimal("1.10"), uuid.UUID(int=1), pathlib.PurePosixPath("/a"), {3, 1, 2}, b"\\x00\\xff", C.RED, P(1, {"t"}), (1, 2), collections.Counter("aab")]',
    expect: {
      result: [
        '2024-01-02T03:04:05',
        '2024-01-02',
        '03:04:00',
        '1.10',
        '00000000-0000-0000-0000-000000000001',
        '/a',
        [1, 2, 3],
        'AP8=',
        'red',
        { x: 1, tags: ['t'] },
        [1, 2],
        { a: 2, b: 1 },
      ],
    },
  },
  {
    title: 'pydantic models become JSON',
    code: 'from pydantic import BaseModel\nclass M(BaseModel):\n    a: int\n    b: list[str] = []\nresult = M(a="3", b=["x"])',
    expect: { result: { a: 3, b: ['x'] } },
  },
  {
    title: 'integers beyond 2^53 are strings',
    code: 'result = [2**53 - 1, 2**53 + 1, -(2**63), 10**30]',
    expect: {
      result: [9007199254740991, '9007199254740993', '-9223372036854775808', '1000000000000000000000000000000'],
    },
  },
  {
    title: 'NaN and infinity are null',
    code: 'result = [float("nan"), float("inf"), -float("inf"), 0.1]',
    expect: { result: [null, null, null, 0.1] },
  },
  {
    title: 'other objects become text',
    code: 'class T:\n    def __str__(self):\n        return "T!"\nresult = [T(), 1 + 2j]',
    expect: { result: ['T!', '(1+2j)'] },
  },
  {
    title: 'a cycle is a clear error',
    code: 'a = []\na.append(a)\nresult = a',
    expect: { exitCode: 1, errorCode: 'RUNTIME_ERROR', errorMessageIncludes: ['ircular'] },
  },
  {
    title: 'a cyclic last expression is null with a warning',
    code: 'a = []\na.append(a)\na',
    expect: { exitCode: 0, result: null, warningsInclude: ['ircular'] },
  },
  {
    title: 'a result that nests too deep is a clear error',
    code: 'r = []\nfor _ in range(5000):\n    r = [r]\nresult = r',
    expect: { errorCode: 'RUNTIME_ERROR', errorMessageIncludes: ['200'] },
  },
  {
    title: 'open figures are saved',
    code: 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure()\nplt.bar([1], [2])\nplt.show()',
    expect: { exitCode: 0, stderr: '', saved: ['figure-1.png', 'figure-2.png'] },
  },
  {
    title: 'closed figures are not saved',
    code: 'import matplotlib.pyplot as plt\nplt.plot([1])\nplt.close("all")',
    expect: { saved: [] },
  },
  {
    title: 'numpy random numbers differ from the import state',
    code: 'import numpy as np, random\nresult = [random.random() < 1, float(np.random.rand()) < 1]',
    expect: { result: [true, true] },
  },
  {
    title: 'markers of other systems in stdout are plain text',
    code: 'print("__FM_RESULT_START__\\n5\\n__FM_RESULT_END__")\nresult = 1',
    expect: { result: 1, stdout: '__FM_RESULT_START__\n5\n__FM_RESULT_END__\n' },
  },
  {
    title: 'bytes that are not UTF-8 are replaced in stdout',
    code: 'import sys\nsys.stdout.buffer.write(b"a\\xffb\\n")',
    expect: { stdout: 'a\ufffdb\n' },
  },
  {
    title: 'the time zone is UTC and the home is set',
    code: 'import os, time, locale\nresult = [time.tzname[0], os.environ["HOME"], os.getcwd(), "LANG" in os.environ]',
    expect: { result: ['UTC', '/sandbox', '/sandbox', true] },
  },
  {
    title: 'time zone data is there',
    code: 'from zoneinfo import ZoneInfo\nimport datetime\nresult = datetime.datetime(2024, 7, 1, tzinfo=ZoneInfo("Europe/Berlin")).utcoffset().total_seconds()',
    expect: { result: 7200 },
  },
  {
    title: 'Windows line ends and a byte order mark are fine',
    code: '\ufeffx = 1\r\nif x:\r\n    result = x\r\n',
    expect: { result: 1 },
  },
  {
    title: 'pickle finds classes of the program',
    code: 'import pickle\nclass A:\n    def __init__(self):\n        self.v = 3\nresult = pickle.loads(pickle.dumps(A())).v',
    expect: { result: 3 },
  },
  {
    title: 'inspect finds the source',
    code: 'import inspect\ndef f():\n    return 1\nresult = inspect.getsource(f)',
    expect: { result: 'def f():\n    return 1\n' },
  },
  {
    title: 'a worker that is killed for memory does not hang its pool',
    code: 'from multiprocessing import Pool\ndef eat(x):\n    return len(bytearray(400 * 1024 * 1024))\nif __name__ == "__main__":\n    with Pool(1) as p:\n        p.map(eat, [1])',
    request: { timeout: 60_000 },
    expect: { errorCode: 'MEMORY_LIMIT', errorMessageIncludes: ['256'] },
  },
];
