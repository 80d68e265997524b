// One real use of every JavaScript package that the image promises, `rounds` times, and an import of what they bring along.
const uses = {
  'big.js': () => new (require('big.js'))('0.1').plus('0.2').toString(),
  'change-case': async () => (await import('change-case')).camelCase('a b'),
  cheerio: () => require('cheerio').load('<p>hi</p>')('p').text(),
  'crypto-js': () => require('crypto-js').SHA256('x').toString().slice(0, 8),
  'csv-parse': () => require('csv-parse/sync').parse('a,b\n1,2', { columns: true })[0].b,
  'date-fns': () => require('date-fns').format(new Date(0), 'yyyy'),
  dayjs: () => require('dayjs')('2024-01-31').add(1, 'month').format('YYYY-MM-DD'),
  'decimal.js': () => new (require('decimal.js'))('1').div(3).toFixed(5),
  'fast-xml-parser': () => new (require('fast-xml-parser').XMLParser)().parse('<a>1</a>').a,
  he: () => require('he').decode('&amp;'),
  'jsonpath-plus': () => require('jsonpath-plus').JSONPath({ path: '$.a[*].b', json: { a: [{ b: 1 }] } })[0],
  lodash: () => require('lodash').chunk([1, 2, 3], 2).length,
  'markdown-it': async () => {
    const loaded = await import('markdown-it');
    return new (loaded.default ?? loaded)().render('# hi');
  },
  mathjs: () => require('mathjs').evaluate('sqrt(16) + det([1, 2; 3, 4])'),
  papaparse: () => require('papaparse').parse('a,b').data[0].length,
  pluralize: () => require('pluralize')('mouse'),
  'sanitize-html': () => require('sanitize-html')('<script>x</script><b>y</b>'),
  slugify: () => require('slugify')('a b'),
  turndown: () => new (require('turndown'))().turndown('<h1>hi</h1>'),
  uuid: async () => (await import('uuid')).v4().length,
  validator: () => require('validator').isEmail('a@example.org'),
  xlsx: () => {
    const xlsx = require('xlsx');
    const book = xlsx.utils.book_new();
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([[42]]), 's');
    xlsx.writeFile(book, 'x.xlsx');
    return xlsx.readFile('x.xlsx').Sheets.s.A1.v;
  },
  yaml: () => require('yaml').parse('a: [1, 2]').a.length,
  zod: () =>
    require('zod')
      .z.object({ a: require('zod').z.number() })
      .parse({ a: 1 }).a,
};

const outcomes = {};
for (const [name, use] of Object.entries(uses)) {
  try {
    for (let round = 0; round < rounds; round += 1) outcomes[name] = [true, await use()];
  } catch (error) {
    outcomes[name] = [false, String(error.stack).slice(0, 600)];
  }
}

const ROOT = '/node_modules';
const { readdirSync } = require('fs');
const inScope = (name) =>
  name.startsWith('@') ? readdirSync(`${ROOT}/${name}`).map((part) => `${name}/${part}`) : name;
const visible = readdirSync(ROOT).filter((name) => !name.startsWith('.'));
const packages = visible.flatMap(inScope).sort();

const failed = {};
for (const name of packages.filter((name) => !(name in uses))) {
  try {
    await import(name);
  } catch (error) {
    failed[name] = String(error).slice(0, 300);
  }
}
const result = { uses: outcomes, broughtAlong: { packages, failed } };
