import { runLoad, type LoadResult } from './support/http-load.ts';
import { keepPriceLive } from './support/keep-price-live.ts';
import { openStack, type BenchStack, type RunningApp } from './support/open-stack.ts';
import { productionEnvironment } from './support/production-environment.ts';
import type { Report, Table } from './support/report.ts';
import { median, medianRatio } from './support/statistics.ts';

/** The number of starts. Two starts of one program differ more than two rounds of one start. */
const starts = 5;
const rounds = 6;
const seconds = 1;
const warmUpSeconds = 3;
const connections = 16;
/** The share of the guarded floor's requests per second that is the aim. */
const aim = 0.9;

export interface Side extends RunningApp {
  readonly name: string;
}

/** Headers that Node, Express and the rate limiter add by themselves. */
const ownHeaders = /^(?:connection|content-length|date|keep-alive|ratelimit(?:-policy)?)$/u;

const startSides = async (stack: BenchStack, ROUTE: string): Promise<Side[]> => {
  const customer = await stack.start('customer', { change: productionEnvironment });
  const response = await fetch(customer.url + ROUTE);
  const BODY = await response.text();
  if (!response.ok) throw new Error(`nothing to measure: ${BODY}`);
  const headers = [...response.headers].filter(([name]) => !ownHeaders.test(name));
  const HEADERS = JSON.stringify(headers);
  const REDIS_URL = stack.addresses.redisUrl;
  const guarded = await stack.startServer('price-floor', { ROUTE, BODY, HEADERS, REDIS_URL });
  const short = await stack.startServer('price-floor', { ROUTE, BODY, REDIS_URL });
  const bare = await stack.startServer('price-floor', { ROUTE, BODY, HEADERS });
  return [
    { name: `GET ${ROUTE}`, ...customer },
    { name: 'bare, limiter and log', ...guarded },
    { name: 'the same, body alone', ...short },
    { name: 'bare', ...bare },
  ];
};

export type Results = Map<string, LoadResult[]>;

const measure = async (sides: readonly Side[], route: string, results: Results): Promise<void> => {
  const loadOf = ({ url, pid }: Side) => ({ url: url + route, pid, connections });
  for (const side of sides) await runLoad({ ...loadOf(side), seconds: warmUpSeconds });
  for (let round = 0; round < rounds; round += 1) {
    // The order is reversed in every other round, so that no side always follows the same one.
    const order = round % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) {
      const result = await runLoad({ ...loadOf(side), seconds });
      results.set(side.name, [...(results.get(side.name) ?? []), result]);
    }
  }
};

/** Measures the sides in turns, and starts them again several times. */
export const measureStarts = async (
  route: string,
  startAnew: () => Promise<Side[]>,
): Promise<Results> => {
  const results: Results = new Map();
  for (let start = 0; start < starts; start += 1) {
    const sides = await startAnew();
    await measure(sides, route, results);
    await Promise.all(sides.map((side) => side.kill('SIGKILL')));
  }
  return results;
};

const tableOf = (results: Results): Table => {
  const of = (name: string, figure: keyof LoadResult): number[] =>
    (results.get(name) ?? []).map((result) => result[figure]);
  const names = [...results.keys()];
  const [guarded = '', bare = ''] = [names[1], names.at(-1)];
  const share = (name: string, by: string, figure: keyof LoadResult): number =>
    medianRatio(of(name, figure), of(by, figure));
  const rows = names.map((name) => [
    name,
    median(of(name, 'requestsPerSecond')),
    share(name, guarded, 'requestsPerSecond'),
    share(name, bare, 'requestsPerSecond'),
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

const startsOf = (results: Results): Table => {
  const [own = [], guarded = []] = [...results.values()].map((side) =>
    side.map(({ requestsPerSecond }) => requestsPerSecond),
  );
  const rows = Array.from({ length: starts }, (_, start) => {
    const [from, to] = [start * rounds, (start + 1) * rounds];
    return [`start ${start + 1}`, medianRatio(own.slice(from, to), guarded.slice(from, to))];
  });
  return { title: 'of guarded, by start', columns: ['', 'median ratio'], rows };
};

/** Measures one public route beside handlers that send the same bytes and do nothing else. */
const measureRoute = async (route: string): Promise<Report> => {
  const stack = await openStack();
  const stopFeeding = await keepPriceLive(stack.addresses.databaseUrl);
  try {
    const results = await measureStarts(route, () => startSides(stack, route));
    return {
      how: [
        `${starts} starts of each side, ${rounds} rounds of ${seconds} s in turns, autocannon,`,
        `${connections} connections, each request from another client address (the limit of 100 a`,
        'minute holds).',
        'The customer API runs as in production, with a live price at hand. The bare ones',
        'send the same bytes, headers and body; one of them sends the body with no header but its',
        'type. All but the last log to a file. Ratios are medians of the ratios within a round.',
      ],
      tables: [tableOf(results), startsOf(results)],
      samples: Object.fromEntries(results),
    };
  } finally {
    await stopFeeding();
    await stack.stop();
  }
};

export const priceCurrent = (): Promise<Report> => measureRoute('/v1/price/current');

export const clientConfig = (): Promise<Report> => measureRoute('/v1/config');
