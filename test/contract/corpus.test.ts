import { join } from 'node:path';
import { readCorpora } from '../support/corpus';
import { differences } from '../support/expectation';
import { openTestHost } from '../support/host';

// Public programs lie beside the repository where somebody put them there; `npm run soak` runs all of them.
const FOLDER = join(__dirname, '..', '..', '..', 'shared', 'corpora');
const EVERY = 12;

test('a sample of the public programs ends as it should, where they are there', async () => {
  const sample = readCorpora(FOLDER).filter((_, index) => index % EVERY === 0);
  const host = await openTestHost();
  try {
    const wrong: string[] = [];
    for (const found of sample) {
      const result = await host.runCase(found.language, found);
      wrong.push(...differences(result, found.expect).map((difference) => `${found.title}: ${difference}`));
    }
    expect(wrong).toEqual([]);
  } finally {
    await host.close();
  }
}, 600_000);
