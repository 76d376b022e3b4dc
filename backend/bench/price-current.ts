import { runLoad, type LoadResult } from './support/http-load.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type BenchStack } from './support/open-stack.ts';
import { productionEnvironment } from './support/production-environment.ts';
import type { Report, Table } from './support/report.ts';
import { median, medianRatio } from './support/statistics.ts';

const rounds = 9;
const seconds = 3;
const connections = 16;
/** The share of the guarded floor's requests per second that is the aim. */
const aim = 0.9;

interface Side {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

const startSides = async (stack: BenchStack): Promise<Side[]> => {
  const customer = await stack.start('customer', { change: productionEnvironment });
  const response = await fetch(`${customer.url}/v1/price/current`);
  const BODY = await response.text();
  if (!response.ok) throw new Error(`no price to measure: ${BODY}`);
  const naked = await stack.startServer('price-floor', { BODY });
  const guarded = await stack.startServer('price-floor', {
    BODY,
    REDIS_URL: stack.addresses.redisUrl,
  });
  return [
    { name: 'GET /price/current', ...customer },
    { name: 'bare, limiter and log', ...guarded },
    { name: 'bare', ...naked },
  ];
};

const measure = async (sides: readonly Side[]): Promise<Map<string, LoadResult[]>> => {
  const results = new Map<string, LoadResult[]>(sides.map(({ name }) => [name, []]));
  const loadOf = ({ url, pid }: Side) => ({ url: `${url}/v1/price/current`, pid, connections });
  for (const side of sides) await runLoad({ ...loadOf(side), seconds: 2 });
  for (let round = 0; round < rounds; round += 1) {
    // Every other round the other way about, so that no side always follows the same one.
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) {
      results.get(side.name)?.push(await runLoad({ ...loadOf(side), seconds }));
    }
  }
  return results;
};

const tableOf = (results: Map<string, LoadResult[]>): Table => {
  const of = (name: string, figure: keyof LoadResult): number[] =>
    (results.get(name) ?? []).map((result) => result[figure]);
  const [own = '', guarded = '', naked = ''] = [...results.keys()];
  const share = (name: string, by: string, figure: keyof LoadResult): number =>
    medianRatio(of(name, figure), of(by, figure));
  const rows = [own, guarded, naked].map((name) => [
    name,
    median(of(name, 'requestsPerSecond')),
    share(name, guarded, 'requestsPerSecond'),
    share(name, naked, 'requestsPerSecond'),
    median(of(name, 'p50Ms')),
    median(of(name, 'p99Ms')),
    median(of(name, 'cpuUsPerRequest')),
  ]);
  return {
    title: `medians; the aim is ${aim} of the guarded one`,
    columns: ['', 'requests/s', 'of guarded', 'of bare', 'p50 ms', 'p99 ms', 'CPU us'],
    rows,
  };
};

/** The live price beside handlers that send the same bytes and do nothing else. */
export const priceCurrent = async (): Promise<Report> => {
  const stack = await openStack();
  const stopFeeding = await keepPriceLive(stack.addresses.redisUrl);
  try {
    const results = await measure(await startSides(stack));
    return {
      how: [
        `${rounds} rounds of ${seconds} s for each side in turns, ${connections} connections,`,
        'autocannon, each request from another client address (the limit of 100 a minute holds).',
        'The customer API runs as in production, with a live price in the cache. All three log',
        'to a file. Ratios are medians of the ratios within a round.',
      ],
      tables: [tableOf(results)],
      samples: Object.fromEntries(results),
    };
  } finally {
    await stopFeeding();
    await stack.stop();
  }
};
