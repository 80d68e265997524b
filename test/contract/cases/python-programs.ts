import type { LanguageCase } from './case';

const POINT =
  'from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef square(p):\n    return P(p.x ** 2)\n';

/** Values that a program leaves without having awaited them. */
const AWAITABLES: readonly LanguageCase[] = [
  {
    title: 'a coroutine as the last expression is awaited',
    code: 'import asyncio\nasync def main():\n    print("ran")\n    await asyncio.sleep(0.01)\n    return {"a": 1}\nmain()',
    expect: { exitCode: 0, result: { a: 1 }, stdout: 'ran\n', stderr: '' },
  },
  {
    title: 'a coroutine in result is awaited',
    code: 'async def main():\n    return 7\nresult = main()',
    expect: { exitCode: 0, result: 7, stderr: '' },
  },
  {
    title: 'a result that an awaited coroutine sets counts',
    code: 'async def main():\n    global result\n    result = 11\nmain()',
    expect: { result: 11 },
  },
  {
    title: 'a task is awaited in the loop of the program',
    code: 'import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 5\nawait asyncio.sleep(0)\nresult = asyncio.create_task(f())',
    expect: { result: 5 },
  },
  {
    title: 'a task is awaited in a loop that the program made',
    code: 'import asyncio\nloop = asyncio.new_event_loop()\nasync def f():\n    return 6\nloop.create_task(f())',
    expect: { result: 6 },
  },
  {
    title: 'an async generator becomes a list',
    code: 'async def squares():\n    for i in range(3):\n        yield i * i\nsquares()',
    expect: { result: [0, 1, 4] },
  },
  {
    title: 'an error of an awaited coroutine is the error of the program',
    code: 'async def main():\n    raise ValueError("inside")\nmain()',
    expect: {
      exitCode: 1,
      errorCode: 'RUNTIME_ERROR',
      errorType: 'ValueError',
      errorLine: 2,
      tracebackExcludes: ['/opt/hourglass', 'asyncio'],
    },
  },
  {
    title: 'coroutines within a result are text, with a warning',
    code: 'async def f():\n    pass\n[f()]',
    expect: { exitCode: 0, warningsInclude: ['a coroutine in the result was not awaited'] },
  },
  {
    title: 'futures that are done count as their values',
    code: 'from concurrent.futures import ThreadPoolExecutor\nex = ThreadPoolExecutor(1)\nresult = [ex.submit(pow, 2, 5)]',
    expect: { result: [32] },
  },
  {
    title: 'a future that failed is text, with a warning',
    code: 'from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor(1).submit(int, "x")',
    expect: { exitCode: 0, warningsInclude: ['a future in the result has no value'] },
  },
];

const PROCESSES: readonly LanguageCase[] = [
  {
    title: 'objects of the program come back from spawned processes',
    code: `import multiprocessing as mp\n${POINT}if __name__ == "__main__":\n    mp.set_start_method("spawn")\n    with mp.Pool(1) as pool:\n        result = pool.map(square, [P(3)])`,
    expect: { result: [{ x: 9 }] },
  },
  {
    title: 'spawned processes find the inputs, whatever they are named',
    code: 'import multiprocessing as mp\ndef f(_):\n    return [x, _run, _load, __name__]\nif __name__ == "__main__":\n    with mp.get_context("spawn").Pool(1) as p:\n        result = p.map(f, [1])[0]',
    request: { inputData: { x: 1, _run: 2, _load: 3, __name__: 'odd' } },
    expect: { result: [1, 2, 3, '__mp_main__'] },
  },
  {
    title: 'spawned processes run a program that awaits at its top level',
    code: 'import asyncio, multiprocessing as mp\nawait asyncio.sleep(0)\ndef f(x):\n    return x + 3\nif __name__ == "__main__":\n    with mp.get_context("spawn").Pool(1) as p:\n        result = p.map(f, [1])',
    expect: { result: [4] },
  },
  {
    title: 'spawned processes import staged modules that are named like ours or like standard ones',
    code: 'import multiprocessing as mp, places, ast\ndef f(x):\n    return [places.v, ast.v, x]\nif __name__ == "__main__":\n    with mp.get_context("spawn").Pool(1) as p:\n        result = p.map(f, [1])[0]',
    files: { 'places.py': 'v = 9\n', 'ast.py': 'v = 7\n' },
    request: { inputFiles: [{ path: 'places.py' }, { path: 'ast.py' }] },
    expect: { result: [9, 7, 1] },
  },
  {
    title: 'an error of a spawned process has no line of ours',
    code: 'import multiprocessing as mp\ndef f():\n    pass\np = mp.get_context("spawn").Process(target=f)\np.start()\np.join()\nresult = p.exitcode',
    expect: { result: 1, stderrIncludes: ['bootstrapping phase', 'p.start()'], stderrExcludes: ['/opt/hourglass'] },
  },
];

const ENDS: readonly LanguageCase[] = [
  {
    title: 'a result that os._exit loses is a warning',
    code: 'import os\nresult = 5\nos._exit(0)',
    expect: { exitCode: 0, result: null, warningsInclude: ['os._exit()'] },
  },
  {
    title: 'a program that closes every descriptor ends with a warning',
    code: 'import os\nos.closerange(3, 1000)\nresult = 5',
    expect: { exitCode: 0, result: null, stderr: '', warningsInclude: ['closed every descriptor'] },
  },
  {
    title: 'a program that forgets every module keeps its result',
    code: 'import sys\nsys.modules.clear()\nresult = [1]',
    expect: { exitCode: 0, result: [1] },
  },
  {
    title: 'a program that is nested too deep for the parser is told so',
    code: `x = ${'-'.repeat(200_000)}1`,
    expect: { errorCode: 'SYNTAX_ERROR', errorLine: 1, errorMessageIncludes: ['nested too deep'] },
  },
  {
    title: 'an exit code beyond a C long is 255',
    code: 'import sys\nsys.exit(2 ** 80)',
    expect: { exitCode: 255, errorCode: 'RUNTIME_ERROR' },
  },
  {
    title: 'a detached stdout does not change the exit code',
    code: 'import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8", line_buffering=True)\nprint("é")',
    expect: { exitCode: 0, stdout: 'é\n' },
  },
  {
    title: 'a sys.excepthook that fails is reported as in the interpreter',
    code: 'import sys\ndef hook(*_):\n    raise KeyError("hook")\nsys.excepthook = hook\nraise ValueError("v")',
    expect: {
      exitCode: 1,
      errorType: 'ValueError',
      stderrIncludes: ['Error in sys.excepthook:\n', "KeyError: 'hook'", 'Original exception was:\n', 'ValueError: v'],
      stderrExcludes: ['/opt/hourglass', 'During handling'],
    },
  },
  {
    title: 'a program that replaces built-in and json functions keeps its result',
    code: 'import builtins, json\njson.dumps = None\nfor name in ("len", "isinstance", "sum", "sorted", "type", "getattr", "print", "open"):\n    setattr(builtins, name, None)\nresult = {"a": [1, 2.5, "x"], "b": {1}}',
    expect: { exitCode: 0, result: { a: [1, 2.5, 'x'], b: [1] } },
  },
  {
    title: 'inspect gives the source of the module as it was written',
    code: 'import inspect, sys\nresult = inspect.getsource(sys.modules[__name__])\n',
    expect: { result: 'import inspect, sys\nresult = inspect.getsource(sys.modules[__name__])\n' },
  },
  {
    title: 'an object in place of stdout that has only write and flush is fine',
    code: 'import sys\nclass Tee:\n    def write(self, text):\n        sys.__stdout__.write(text.upper())\n    def flush(self):\n        pass\nsys.stdout = Tee()\nprint("tee")',
    expect: { exitCode: 0, stdout: 'TEE\n' },
  },
  {
    title: 'a misspelt name is shown with what may have been meant',
    code: 'lenght = 3\nprint(lenghth)',
    expect: {
      errorType: 'NameError',
      stderrIncludes: ["name 'lenghth' is not defined. Did you mean: 'lenght'?\n"],
      tracebackIncludes: ["Did you mean: 'lenght'?"],
    },
  },
  {
    title: 'a misspelt attribute is shown with what may have been meant',
    code: 'import math\nmath.sqr(4)',
    expect: { errorType: 'AttributeError', stderrIncludes: ["Did you mean: 'sqrt'?\n"] },
  },
  {
    title: 'errors keep their lines where the cache of lines was emptied',
    code: 'import linecache\nlinecache.clearcache()\nraise ValueError("after")',
    expect: { errorLine: 3, tracebackIncludes: ['raise ValueError("after")'] },
  },
];

/** What programs beyond the everyday ones leave behind and how they end. */
export const PYTHON_PROGRAMS: readonly LanguageCase[] = [...AWAITABLES, ...PROCESSES, ...ENDS];
