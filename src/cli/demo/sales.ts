/** One line of the table: an order of one product. */
interface Sale {
  readonly orderId: string;
  readonly date: string;
  readonly region: string;
  readonly product: string;
  readonly quantity: number;
  /** In cents; undefined where the cash register lost it. */
  readonly cents: number | undefined;
}

/** What the programs must find in the table, computed here without them. */
export interface Expected {
  readonly rowsRead: number;
  readonly rowsKept: number;
  /** In EUR. */
  readonly revenue: number;
  readonly summaryLines: number;
  /** Regions by revenue, best first. */
  readonly regions: readonly string[];
  /** The five products that sold the most pieces, best first. */
  readonly top: readonly { readonly product: string; readonly pieces: number }[];
}

const ORDERS = 20_000;
const SEED = 20_260_101;
const REGIONS = ['north', 'south', 'east', 'west'];
const PRODUCTS = [
  'lamp',
  'desk',
  'chair',
  'shelf',
  'sofa',
  'rug',
  'clock',
  'mirror',
  'vase',
  'plant',
  'stool',
  'bench',
];
const FIRST_DAY = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;
const TOP = 5;

/** mulberry32: the same numbers from 0 to 1 on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A year of sales with what real tables have: lines twice, lost prices, goods that came back. Always the same. */
export function makeSales(): Sale[] {
  const random = randomNumbers(SEED);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  return Array.from({ length: ORDERS }, (_, index) => {
    const sale: Sale = {
      orderId: `A${String(index + 1).padStart(6, '0')}`,
      date: new Date(FIRST_DAY + Math.floor(random() * 365) * DAY_MS).toISOString().slice(0, 10),
      region: pick(REGIONS),
      product: pick(PRODUCTS),
      quantity: random() < 0.02 ? -1 : 1 + Math.floor(random() * 9),
      cents: random() < 0.01 ? undefined : 500 + Math.floor(random() * 60_000),
    };
    return random() < 0.01 ? [sale, sale] : [sale];
  }).flat();
}

/** The table as CSV. */
export function toCsv(sales: readonly Sale[]): string {
  const lines = sales.map(({ orderId, date, region, product, quantity, cents }) =>
    [orderId, date, region, product, quantity, cents === undefined ? '' : (cents / 100).toFixed(2)].join(','),
  );
  return ['order_id,date,region,product,quantity,unit_price', ...lines, ''].join('\n');
}

/** What is right, computed from the same table in cents. */
export function expectedOf(sales: readonly Sale[]): Expected {
  const kept = [...new Map(sales.map((sale) => [sale.orderId, sale])).values()].filter(isKept);
  const revenue = sumBy(
    kept,
    ({ region }) => region,
    ({ quantity, cents = 0 }) => quantity * cents,
  );
  const pieces = sumBy(
    kept,
    ({ product }) => product,
    ({ quantity }) => quantity,
  );
  return {
    rowsRead: sales.length,
    rowsKept: kept.length,
    revenue: [...revenue.values()].reduce((sum, cents) => sum + cents, 0) / 100,
    summaryLines: new Set(kept.map(({ date, region }) => `${date.slice(0, 7)} ${region}`)).size,
    regions: ranked(revenue).map(([region]) => region),
    top: ranked(pieces)
      .slice(0, TOP)
      .map(([product, count]) => ({ product, pieces: count })),
  };
}

function isKept({ quantity, cents }: Sale): boolean {
  return quantity > 0 && cents !== undefined;
}

function sumBy(
  sales: readonly Sale[],
  key: (sale: Sale) => string,
  value: (sale: Sale) => number,
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const sale of sales) sums.set(key(sale), (sums.get(key(sale)) ?? 0) + value(sale));
  return sums;
}

function ranked(sums: ReadonlyMap<string, number>): [string, number][] {
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}
