import type { LanguageCase } from './case';

/** Values of odd types, alone and in containers, as JSON. */
export const PYTHON_VALUES: readonly LanguageCase[] = [
  {
    title: 'masked NumPy values are null',
    code: 'import numpy as np\nm = np.ma.array([1, 2], mask=[0, 1])\nresult = [m, m[1], np.ma.masked]',
    expect: { result: [[1, null], null, null] },
  },
  {
    title: 'structured NumPy arrays become lists of rows',
    code: 'import numpy as np\nresult = np.array([(1, "x")], dtype=[("a", int), ("b", "U3")])',
    expect: { result: [[1, 'x']] },
  },
  {
    title: 'iterators over lists in reverse become lists',
    code: 'result = [reversed([1, 2]), reversed((1, 2)), reversed("ab")]',
    expect: {
      result: [
        [2, 1],
        [2, 1],
        ['b', 'a'],
      ],
    },
  },
  {
    title: 'a view of some bytes of a buffer is base64',
    code: 'result = memoryview(b"\\x01x\\x02x")[::2]',
    expect: { result: 'AQI=' },
  },
  {
    title: 'a UserString is text',
    code: 'from collections import UserString\nresult = UserString("s")',
    expect: { result: 's' },
  },
  {
    title: 'pydantic root models are what they hold',
    code: 'from pydantic import RootModel\nclass Names(RootModel[list[str]]):\n    pass\nresult = Names(["a"])',
    expect: { result: ['a'] },
  },
  {
    title: 'attrs classes become objects',
    code: 'import attr\n@attr.s(auto_attribs=True)\nclass A:\n    x: int\n    y: list\nresult = A(1, [2])',
    expect: { result: { x: 1, y: [2] } },
  },
  {
    title: 'integers of other libraries are integers',
    code: 'import sympy\nresult = [sympy.Integer(3), sympy.Integer(2 ** 53 + 1), sympy.Rational(1, 3)]',
    expect: { result: [3, '9007199254740993', '1/3'] },
  },
  {
    title: 'labels of rows that a frame loses are a warning',
    code: 'import pandas as pd\npd.DataFrame({"a": [1, 3]}).describe().loc[["min", "max"]]',
    expect: { result: [{ a: 1 }, { a: 3 }], warningsInclude: ['reset_index()'] },
  },
  {
    title: 'an error while a generator in result runs has the line of the user',
    code: 'def g():\n    yield 1\n    raise ValueError("late")\nresult = g()',
    expect: { exitCode: 1, errorMessageIncludes: ['ValueError: late'], errorLine: 3, tracebackExcludes: ['/opt'] },
  },
  {
    title: 'an input that is named like the variable of the last expression is no result',
    code: 'x = inputs["__hourglass_value__"]',
    request: { inputData: { __hourglass_value__: 4 } },
    expect: { exitCode: 0, result: null },
  },
];
