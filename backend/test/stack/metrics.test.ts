import { expect } from 'vitest';
import { io } from 'socket.io-client';
import { eventually } from '#test/support/eventually.ts';
import { runningTest } from '#test/support/running-test.ts';
import type { StartedProcess } from '#test/support/start-process.ts';

const it = runningTest({ checked: 'at the end' });

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
    expect(await valueAt(replica, 'redis_ready')).toBe(1);
    expect(await valueAt(replica, 'redis_commands_waiting')).toBeGreaterThanOrEqual(0);
    expect(await valueAt(replica, 'database_pool_size', `pool="${app}"`)).toBeGreaterThan(0);
    expect(await valueAt(replica, 'database_pool_waiting', `pool="${app}"`)).toBe(0);
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
