// Validates the report and grades each region.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

enum Grade {
  Leading = 'leading',
  Solid = 'solid',
  Weak = 'weak',
}

const Region = z.object({
  region: z.string().min(1),
  revenue: z.number().positive(),
  share: z.number().min(0).max(1),
  bestMonth: z.string().regex(/^\d{4}-\d{2}$/),
});
type Region = z.infer<typeof Region>;

class Auditor {
  constructor(private readonly fair: number) {}

  grade({ share }: Region): Grade {
    if (share > this.fair * 1.1) return Grade.Leading;
    return share < this.fair * 0.9 ? Grade.Weak : Grade.Solid;
  }
}

const regions = z.array(Region).parse(JSON.parse(readFileSync('report.json', 'utf8')));
const auditor = new Auditor(1 / regions.length);
const graded = regions.map((region) => ({ region: region.region, grade: auditor.grade(region) }));

writeFileSync('audit.json', JSON.stringify(graded, null, 2));
for (const { region, grade } of graded) console.log(`${region.padEnd(8)} ${grade}`);

const shares = regions.reduce((sum, { share }) => sum + share, 0);
export const result = { valid: regions.length, shares: Number(shares.toFixed(2)), grades: graded };
