import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProcessRecords } from './process-records.ts';
import { withStackLock } from './stack-lock.ts';
import { writeMissingSwitches } from './switch-files.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stack-state-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const sleeper = (mark: string): number => {
  const script = 'setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script, mark], { stdio: 'ignore' });
  child.unref();
  return child.pid ?? 0;
};

it('the stack remembers what runs, and stops it', async () => {
  const records = createProcessRecords(folder);
  const record = { pid: sleeper('one'), mark: 'one', fingerprint: 'f', ports: [1] };
  records.write('customer', record);
  expect(await records.findAlive('customer')).toEqual(record);
  expect(await records.stop('customer')).toBe(true);
  expect(await records.stop('customer')).toBe(false);
});

it('the stack neither trusts nor stops a stranger that has the pid of a stale record', async () => {
  const records = createProcessRecords(folder);
  const pid = sleeper('stranger');
  records.write('customer', { pid, mark: 'ours', fingerprint: 'f', ports: [] });
  expect(await records.stop('customer')).toBe(false);
  expect(process.kill(pid, 0)).toBe(true);
  process.kill(pid, 'SIGKILL');
});

it.each(['', '{', '{"pid":"x"}'])('forgets a record that holds %j', async (text) => {
  writeFileSync(join(folder, 'customer.json'), text);
  expect(await createProcessRecords(folder).findAlive('customer')).toBeUndefined();
});

it('the stack lets one command at a time work, and survives one that was killed', async () => {
  const result = await withStackLock(folder, async () => {
    await expect(withStackLock(folder, async () => 'second')).rejects.toThrow(
      `another command is at work on this stack (process ${process.pid})`,
    );
    return 'first';
  });
  expect(result).toBe('first');
  writeFileSync(join(folder, 'lock'), '999999999 node up');
  expect(await withStackLock(folder, async () => 'third')).toBe('third');
});

it('the stack makes the switches once, and leaves a closed gate closed', () => {
  writeMissingSwitches(folder);
  const file = join(folder, 'DIGITAL_SELL_ENABLED');
  expect(readFileSync(file, 'utf8')).toBe('true\n');
  writeFileSync(file, 'false');
  writeMissingSwitches(folder);
  expect(readFileSync(file, 'utf8')).toBe('false');
});
