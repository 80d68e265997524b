import { expectedOf, makeSales, toCsv } from '../../../src/cli/demo/sales';

test('the table is the same every time and has what must be cleaned', () => {
  const sales = makeSales();
  expect(toCsv(sales)).toBe(toCsv(makeSales()));
  const { rowsRead, rowsKept, summaryLines, regions, top } = expectedOf(sales);
  expect(rowsRead).toBeGreaterThan(20_000);
  expect(rowsKept).toBeLessThan(20_000);
  expect([summaryLines, regions.length, top.length]).toEqual([48, 4, 5]);
});

test('what is expected counts an order once, and only what was sold at a price', () => {
  const sale = { orderId: 'A', date: '2025-03-01', region: 'north', product: 'lamp', quantity: 2, cents: 150 };
  const sales = [sale, sale, { ...sale, orderId: 'B', quantity: -1 }, { ...sale, orderId: 'C', cents: undefined }];
  expect(expectedOf(sales)).toEqual({
    ...{ rowsRead: 4, rowsKept: 1, revenue: 3, summaryLines: 1, regions: ['north'] },
    top: [{ product: 'lamp', pieces: 2 }],
  });
});
