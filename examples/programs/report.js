// Turns the summary into a report: the best month of each region, and each region's share.
const fs = require('node:fs');
const _ = require('lodash');
const { parse } = require('csv-parse/sync');

const lines = parse(fs.readFileSync('summary.csv'), {
  columns: true,
  cast: (value, { column, header }) => (header || column === 'month' || column === 'region' ? value : Number(value)),
});
const total = _.sumBy(lines, 'revenue');

const report = _(lines)
  .groupBy('region')
  .map((months, region) => {
    const revenue = _.sumBy(months, 'revenue');
    const best = _.maxBy(months, 'revenue');
    return { region, revenue: _.round(revenue, 2), share: _.round(revenue / total, 4), bestMonth: best.month };
  })
  .orderBy('revenue', 'desc')
  .value();

fs.writeFileSync('report.json', JSON.stringify(report, null, 2));
console.log(`${report.length} regions, ${lines.length} lines`);
const result = { regions: report.length, best: report[0].region, revenue: _.round(total, 2) };
