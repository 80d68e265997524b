import { preloadFor } from '../../../src/runner';

const NUMPY = ['numpy'];
const BOTH = ['numpy', 'pandas'];

test.each<[string, string[]]>([
  ['import numpy', NUMPY],
  ['import numpy as np', NUMPY],
  ['import pandas as pd', BOTH],
  ['import os, numpy as np, sys', NUMPY],
  ['import numpy.linalg as la', NUMPY],
  ['from numpy import array', NUMPY],
  ['from numpy.random import (\n    default_rng,\n)', NUMPY],
  ['from pandas import *', BOTH],
  ['import pandas\nimport numpy', BOTH],
  ['def f():\n    import pandas as pd\n    return pd', BOTH],
  ['try:\n    import numpy\nexcept ImportError:\n    numpy = None', NUMPY],
  ['import os; import numpy', NUMPY],
  ['import os, \\\n    numpy', NUMPY],
  ['if True: import numpy', NUMPY],
  ['import numpy\nthis does not ( parse', NUMPY],
  ['# import numpy', []],
  ['text = "import numpy"', []],
  ['"""\nimport pandas\n"""', []],
  ['f"""{1}\nimport pandas\n"""', []],
  ['import numpyro', []],
  ['import my.numpy', []],
  ['import os as numpy', []],
  ['from . import numpy', []],
  ['from .numpy import x', []],
  ['from os import numpy', []],
  ['numpy = 1\npandas = 2', []],
  ['print(1)', []],
  ['', []],
])('%j preloads %j', (code, expected) => {
  expect(preloadFor('python', code)).toEqual(expected);
});

test('only Python has preloads', () => {
  expect(preloadFor('javascript', 'import numpy from "numpy"')).toEqual([]);
  expect(preloadFor('shell', 'python3 -c "import numpy"')).toEqual([]);
});

test('of a long program the beginning counts', () => {
  const padding = 'x = 1\n'.repeat(20_000);
  expect(preloadFor('python', `import numpy\n${padding}`)).toEqual(NUMPY);
  expect(preloadFor('python', `${padding}import numpy`)).toEqual([]);
});

test.each(['('.repeat(100_000), '\u0000'.repeat(1_000), 'x = '.repeat(20_000), '"'.repeat(99_999), '\ud800'])(
  'text that is no program does no harm',
  (text) => {
    expect(preloadFor('python', `import numpy\n${text}`)).toEqual(NUMPY);
  },
);
