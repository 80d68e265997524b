import { evaluateInGuest, evaluateRows } from './in-guest';

const IMPORTS = { 'serialiser.mjs': ['toJson'], 'intrinsics.mjs': ['restoreIntrinsics'] };
const LIMITS = '{ depth: 200, maxBytes: 1000 }';

const VALUES: readonly (readonly [title: string, expression: string, json: string | undefined])[] = [
  ['numbers JSON does not know are null', '[NaN, Infinity, -Infinity]', '[null,null,null]'],
  ['negative zero is zero', '-0', '0'],
  ['safe integers are numbers', '[2 ** 53 - 1, -(2 ** 53 - 1)]', '[9007199254740991,-9007199254740991]'],
  ['floats in exponent form stay numbers', '[1e21, 1e300, 5e-7]', '[1e+21,1e+300,5e-7]'],
  ['a small BigInt is a number', '[10n, -3n]', '[10,-3]'],
  ['a large BigInt is a string', '2n ** 64n', '"18446744073709551616"'],
  ['undefined has no JSON', 'undefined', undefined],
  ['functions and symbols have none either', '() => 1', undefined],
  ['they are null in lists', '[undefined, () => 1, Symbol("a")]', '[null,null,null]'],
  ['they are left out of objects', '({ a: undefined, b() {}, c: Symbol("a"), d: 1 })', '{"d":1}'],
  ['a date is ISO 8601', 'new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['an invalid date is null', '[new Date(NaN)]', '[null]'],
  ['a map with text keys is an object', 'new Map([["a", 1], [2, 3], [4n, 5]])', '{"a":1,"2":3,"4":5}'],
  ['a map with other keys is a list of pairs', 'new Map([[{ a: 1 }, 2]])', '[[{"a":1},2]]'],
  ['a map with keys that become equal is a list of pairs', 'new Map([[1, 2], ["1", 3]])', '[[1,2],["1",3]]'],
  ['a set is a list', 'new Set([1, new Set([2])])', '[1,[2]]'],
  ['typed arrays are lists', '[new Uint8Array([1, 2]), new Float32Array([NaN])]', '[[1,2],[null]]'],
  ['64-bit arrays keep their digits', 'new BigInt64Array([1n, -(2n ** 60n)])', '[1,"-1152921504606846976"]'],
  ['buffers are base64', '[Buffer.from("hi"), new Uint8Array([104, 105]).buffer]', '["aGk=","aGk="]'],
  ['a view of a buffer is base64', 'new DataView(new Uint8Array([1, 104, 105]).buffer, 1)', '"aGk="'],
  ['an error is its name and message', 'new TypeError("t")', '{"name":"TypeError","message":"t"}'],
  [
    'an error keeps its own properties',
    'Object.assign(new Error("t"), { code: "E" })',
    '{"name":"Error","message":"t","code":"E"}',
  ],
  ['a URL is its text', '[new URL("https://x.y/z"), new URLSearchParams("a=1")]', '["https://x.y/z","a=1"]'],
  ['a regular expression is its text', '/a/gi', '"/a/gi"'],
  ['toJSON is asked, with the key', '({ x: { toJSON: (key) => [key] } })', '{"x":["x"]}'],
  ['toJSON may have nothing to say', '[{ toJSON() {} }]', '[null]'],
  ['an instance is its own enumerable properties', 'new (class { a = 1; #b = 2; get c() { return 3; } })()', '{"a":1}'],
  ['an object without prototype is an object', 'Object.assign(Object.create(null), { a: 1 })', '{"a":1}'],
  ['holes are null', '[1, , 3]', '[1,null,3]'],
  ['lone surrogates become U+FFFD', '["\\ud800", { "\\udc00": "a\\ud83d\\ude00" }]', '["\ufffd",{"\ufffd":"a😀"}]'],
  ['__proto__ is an ordinary key', 'JSON.parse(\'{"__proto__":{"x":1}}\')', '{"__proto__":{"x":1}}'],
  ['boxed primitives are primitives', '[Object(1), Object("s"), Object(true), Object(5n)]', '[1,"s",true,5]'],
  ['what has no data is an empty object', '[new WeakMap(), Promise]', '[{},null]'],
  ['a generator is its items', '(function* () { yield 1; yield { a: 2 }; })()', '[1,{"a":2}]'],
  [
    'iterators are the items that are left in them',
    '((i) => (i.next(), [i, new Map([["a", 1]]).keys(), new Set([2]).values(), "b"[Symbol.iterator]()]))([0, 1].values())',
    '[[1],["a"],[2],["b"]]',
  ],
  ['arguments are a list', '(function () { return arguments; })(1, "a")', '[1,"a"]'],
  [
    'an error of several has them',
    'new AggregateError([new Error("a")], "b")',
    '{"name":"AggregateError","message":"b","errors":[{"name":"Error","message":"a"}]}',
  ],
  ['a proxy is what it shows', 'new Proxy({ a: 1 }, { get: (t, k) => (k === "a" ? 2 : undefined) })', '{"a":2}'],
  ['what is there twice is written twice', '((s) => [s, s])({ a: 1 })', '[{"a":1},{"a":1}]'],
  [
    'as deep as the limit',
    'Array.from({ length: 199 }).reduce((a) => [a], [])',
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ],
];

const FAULTS: readonly (readonly [title: string, expression: string, message: string])[] = [
  [
    'a cycle names both ends',
    '((a) => (a.b = { c: [a] }, a))({})',
    'circular structure: result.b.c[0] refers back to result',
  ],
  [
    'items that come later are asked for',
    '({ a: (async function* () {})() })',
    'result.a is an async iterator; await Array.fromAsync() of it',
  ],
  [
    'a generator without end has too many items',
    '(function* () { for (;;) yield 1; })()',
    'it has more than 1000000 elements; write it to a file and name that in outputFiles',
  ],
  [
    'odd keys are quoted in paths',
    '((a) => (a["x y"] = a))({})',
    'circular structure: result["x y"] refers back to result',
  ],
  [
    'a deeper value than the limit',
    'Array.from({ length: 200 }).reduce((a) => [a], [])',
    'it nests deeper than 200 levels',
  ],
  ['a very deep value', 'Array.from({ length: 1e5 }).reduce((a) => [a], [])', 'it nests deeper than 200 levels'],
  ['more elements than a million', 'Array(1_000_001).fill(1)', 'it has more than 1000000 elements'],
  ['a list that is mostly holes', '((a) => ((a[4294967290] = 1), a))([])', 'it has more than 1000000 elements'],
  [
    'a value that doubles at every level',
    'Array.from({ length: 40 }).reduce((a) => [a, a], [])',
    'it has more than 1000000 elements',
  ],
  ['more bytes than allowed', '"ü".repeat(999)', 'it has 2000 bytes, the limit is 1000 bytes; write it to a file'],
  ['bytes count as they are written', '"\\0".repeat(200)', 'it has 1202 bytes'],
  ['a getter that throws', '({ get a() { throw new RangeError("no"); } })', 'no'],
  ['a promise that has not settled', '({ a: new Promise(() => {}) })', 'result.a is a promise that did not settle'],
];

describe('what a value is as JSON', () => {
  const rows = evaluateRows(IMPORTS, VALUES, ([, expression]) => `toJson(${expression}, ${LIMITS})`);
  test.each(rows)('%s', (_, [, , json], { value, error }) => {
    expect(error).toBeUndefined();
    expect(value).toBe(json);
  });
});

describe('what a value has no JSON for', () => {
  const rows = evaluateRows(IMPORTS, FAULTS, ([, expression]) => `toJson(${expression}, ${LIMITS})`);
  test.each(rows)('%s', (_, [, , message], { error }) => {
    expect(error?.message).toContain(message);
  });
});

describe('what a program did to the language', () => {
  const [broken, polluted, patched, settled] = evaluateInGuest(IMPORTS, [
    `(() => {
      Array.prototype.push = Map.prototype.entries = String.prototype.slice = Object.keys = null;
      JSON.stringify = () => 'no'; globalThis.Map = 5; delete Set.prototype.values;
      restoreIntrinsics();
      return toJson([new Set(['a']), new Map([[1, 2]])], ${LIMITS});
    })()`,
    `(() => {
      Object.prototype.list = Object.prototype.get = Object.prototype.value = 1;
      Array.prototype.extra = 1;
      restoreIntrinsics();
      try { return toJson({ a: [new Map([[1, 2]])] }, ${LIMITS}); }
      finally { for (const name of ['list', 'get', 'value']) delete Object.prototype[name]; delete Array.prototype.extra; }
    })()`,
    `(() => {
      BigInt.prototype.toJSON = function () { return this.toString() + 'n'; };
      restoreIntrinsics();
      try { return toJson([1n], ${LIMITS}); } finally { delete BigInt.prototype.toJSON; }
    })()`,
    `(() => {
      const promise = Promise.resolve();
      return toJson({ a: promise }, ${LIMITS}, new Map([[promise, { b: new Date(0) }]]));
    })()`,
  ]);

  test('what it replaced or deleted is put back', () => {
    expect(broken?.value).toBe('[["a"],{"1":2}]');
  });

  test('what it added to prototypes does not show', () => {
    expect(polluted?.value).toBe('{"a":[{"1":2}]}');
  });

  test('its own toJSON counts', () => {
    expect(patched?.value).toBe('["1n"]');
  });

  test('a promise is what it was fulfilled with', () => {
    expect(settled?.value).toBe('{"a":{"b":"1970-01-01T00:00:00.000Z"}}');
  });
});
