import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { io } from 'socket.io-client';
import { eventually } from '#test/support/eventually.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { StartedProcess } from '#test/support/start-process.ts';

const it = runningTest({ checked: 'at the end', withAdmin: true });

const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'digital-gold');
const dashboards = readdirSync(join(chart, 'dashboards')).map((name) => join('dashboards', name));

/** Of an installation whose keys a key service wraps, which a local stack is not. */
const notHere = new Set(['wrapping_keys_usable']);

/** Finds the names of the metrics that a file of alerts or a dashboard queries. */
const askedIn = (file: string): string[] => {
  const text = readFileSync(join(chart, file), 'utf8');
  const names = [...text.matchAll(/\b(?<name>[a-z][a-z0-9_]*)\{/gu)].map(
    ({ groups }) => groups?.['name'] ?? '',
  );
  return [...new Set(names)].toSorted();
};

/** Returns the value of the one series of a name that has a label. */
const valueAt = async (
  { internalUrl }: StartedProcess,
  name: string,
  label = '',
): Promise<number | undefined> => {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

const processOf = (processes: readonly StartedProcess[], app: string): StartedProcess => {
  const found = processes.find((each) => each.app === app);
  if (found === undefined) throw new Error(`no ${app} runs`);
  return found;
};

it('says of each replica what it runs, and what of its stores is in use', async ({ system }) => {
  for (const app of ['customer', 'worker']) {
    const replica = processOf(system.processes, app);
    expect(await valueAt(replica, 'build_info', `node="${process.version}"`)).toBe(1);
    await eventually(async () => expect(await valueAt(replica, 'redis_ready')).toBe(1));
    expect(await valueAt(replica, 'redis_commands_waiting')).toBeGreaterThanOrEqual(0);
    expect(await valueAt(replica, 'database_pool_size', `pool="${app}"`)).toBeGreaterThan(0);
    // The first sweeps of a worker all query at once.
    await eventually(async () => {
      expect(await valueAt(replica, 'database_pool_waiting', `pool="${app}"`)).toBe(0);
    });
  }
  const worker = processOf(system.processes, 'worker');
  expect(await valueAt(worker, 'database_pool_size', 'pool="job-runner"')).toBe(5);
});

it('shows a switch as each replica reads it, and the gate that it closes', async ({ system }) => {
  const worker = processOf(system.processes, 'worker');
  const sell = 'switch="DIGITAL_SELL_ENABLED"';
  expect(await valueAt(worker, 'switch_on', sell)).toBe(1);
  system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'false\n');
  expect(await valueAt(worker, 'switch_on', sell)).toBe(0);
  system.stack.setSwitch('DIGITAL_SELL_ENABLED', 'true\n');
});

it('counts the sockets of the price feed that are open', async ({ system }) => {
  const customer = processOf(system.processes, 'customer');
  const before = (await valueAt(customer, 'price_sockets_open')) ?? 0;
  const socket = io(`${customer.url}/price`, { transports: ['websocket'] });
  await eventually(async () => (await valueAt(customer, 'price_sockets_open')) === before + 1);
  socket.close();
  await eventually(async () => (await valueAt(customer, 'price_sockets_open')) === before);
});

it.for(['alerts/rules.yaml', ...dashboards])(
  'publishes all that %s asks for',
  async (file, { system }) => {
    const texts = await Promise.all(
      system.processes
        .filter(({ app }) => app !== 'sandbox')
        .map(async ({ internalUrl }) => (await fetch(`${internalUrl}/metrics`)).text()),
    );
    const published = new Set(
      texts.flatMap((text) =>
        [...text.matchAll(/^# TYPE (?<name>\S+) (?<type>\S+)$/gmu)].flatMap(({ groups }) => {
          const { name = '', type = '' } = groups ?? {};
          return type === 'histogram'
            ? ['_bucket', '_count', '_sum'].map((end) => name + end)
            : [name];
        }),
      ),
    );
    const asked = askedIn(file);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.filter((name) => !published.has(name) && !notHere.has(name))).toEqual([]);
  },
);
