import { join } from 'node:path';
import { readCorpora, type CorpusCase } from '../support/corpus';
import { differences } from '../support/expectation';
import { openTestHost } from '../support/host';

const OWN = readCorpora(join(__dirname, 'corpus'));
// Public programs lie beside the repository where somebody put them there; `npm run soak` runs all of them.
const EVERY = 12;
const PUBLIC = readCorpora(join(__dirname, '..', '..', '..', 'shared', 'corpora')).filter((_, at) => at % EVERY === 0);

async function wrongOnes(cases: readonly CorpusCase[]): Promise<string[]> {
  const host = await openTestHost();
  try {
    const wrong: string[] = [];
    for (const found of cases) {
      const result = await host.runCase(found.language, found);
      wrong.push(...differences(result, found.expect).map((difference) => `${found.title}: ${difference}`));
    }
    return wrong;
  } finally {
    await host.close();
  }
}

test('the programs of the corpus in the repository end as they should, in every language', async () => {
  expect([...new Set(OWN.map(({ language }) => language))].sort()).toEqual([
    'javascript',
    'python',
    'shell',
    'typescript',
  ]);
  expect(await wrongOnes(OWN)).toEqual([]);
});

// Where there are none, there is no test that could pass without one.
if (PUBLIC.length > 0) {
  test(`a sample of ${PUBLIC.length} public programs ends as it should`, async () => {
    expect(await wrongOnes(PUBLIC)).toEqual([]);
  }, 600_000);
}
