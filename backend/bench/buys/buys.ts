import { withConnection } from '../../dev/stack/database-setup.ts';
import { openStack } from '../support/open-stack.ts';
import type { Report } from '../support/report.ts';
import { tableOf, type Sample } from './buys-table.ts';
import { createSides } from './create-sides.ts';
import { openBuyBenchmark, type BuyBenchmark, type Distance } from './open-buy-benchmark.ts';
import { runTogether } from './run-together.ts';

/**
 * The number of customers, which is high enough that none reaches the limit of quotes in ten
 * minutes.
 */
const customersCount = 600;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? '7');
const buysPerRound = 160;
const concurrencies = [8, 16] as const;
/** This is also the default of every process of the service. */
const poolSize = 10;

/**
 * Checks that the repeated statements created orders, so that the benchmark did not measure
 * statements without an effect.
 */
const requireOrders = async ({ stack }: BuyBenchmark, atLeast: number): Promise<void> =>
  withConnection(stack.addresses.databaseUrl, async (client) => {
    const { rows } = await client.query<{ orders: number }>(
      'SELECT count(*)::int AS orders FROM payment_order WHERE gateway_order_id IS NOT NULL',
    );
    const orders = rows[0]?.orders ?? 0;
    if (orders < atLeast) throw new Error(`only ${orders} of ${atLeast} buys are in the database`);
  });

type Sides = ReturnType<typeof createSides>;

const measureSides = async (
  byDistance: Readonly<Record<Distance, Sides>>,
  { customers }: BuyBenchmark,
): Promise<{ samples: Sample[]; made: number }> => {
  const samples: Sample[] = [];
  let made = 0;
  const pieces = (['near', 'away'] as const).flatMap((distance) =>
    Object.entries(byDistance[distance].sides).map(([side, piece]) => ({ distance, side, piece })),
  );
  for (let round = -1; round < rounds; round += 1) {
    for (const concurrency of concurrencies) {
      for (const { distance, side, piece } of pieces) {
        const { refresh } = byDistance[distance];
        const result = await runTogether(buysPerRound, concurrency, async () => {
          const customer = customers[made % customers.length];
          made += 1;
          if (customer !== undefined) await piece(customer, `bench-buy-${made}`);
        });
        await refresh();
        // Round -1 warms everything up and is not counted.
        if (round >= 0) samples.push({ side, distance, concurrency, ...result });
      }
    }
  }
  return { samples, made };
};

const measure = async (benchmark: BuyBenchmark): Promise<Sample[]> => {
  const sides = {
    near: createSides(benchmark, poolSize, 'near'),
    away: createSides(benchmark, poolSize, 'away'),
  };
  try {
    const { samples, made } = await measureSides(sides, benchmark);
    await requireOrders(benchmark, made);
    return samples;
  } finally {
    await Promise.all([sides.near.close(), sides.away.close()]);
  }
};

/** Compares whole buys with the same statements, sent by the database client alone. */
export const buys = async (): Promise<Report> => {
  const stack = await openStack();
  try {
    const benchmark = await openBuyBenchmark(stack, customersCount);
    const samples = await measure(benchmark);
    const { statements } = benchmark.recorded;
    return {
      how: [
        `${rounds} rounds of ${buysPerRound} buys for each side in turns, of ${customersCount}`,
        `customers. A buy sends ${statements.length} statements (recorded from the driver); they are`,
        'sent again by the same client (raw, in the same transactions), with the same pool of',
        `${poolSize} connections, to the same database, which writes to the disk at each commit. The`,
        'provider and the gateway are the sandbox, which answers at once, on the same two cores.',
        'A second database is the same one, each of whose answers is held for 1 ms. Ratios are',
        'medians of the ratios within a round.',
      ],
      tables: (['near', 'away'] as const).flatMap((distance) =>
        concurrencies.map((concurrency) => tableOf(samples, distance, concurrency)),
      ),
      samples: { samples, statements: statements.map(({ text }) => text) },
    };
  } finally {
    await stack.stop();
  }
};
