import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { findLeaks, findUnreadable } from '#test/support/invariants-log.ts';

const backend = join(import.meta.dirname, '..', '..', '..');
const program = join(backend, 'test', 'fixtures', 'printing-process.ts');

it('the redirection makes lines of the log of what libraries and Node print', async () => {
  const args = ['--import', 'tsx', program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: backend });
  expect(stderr).toBe('');
  expect(findUnreadable(stdout)).toEqual([]);
  expect(findLeaks(stdout)).toEqual([]);
  const lines = stdout.trim().split('\n');
  const printed = lines.slice(1).map((line): Record<string, unknown> => JSON.parse(line));
  expect(printed).toMatchObject([
    { level: 'warn', printed: expect.stringContaining('completeJobs: attempt 1/20 failed') },
    { level: 'warn', err: { message: 'the queue failed' } },
    { level: 'warn', printed: 'Failed: object' },
    { level: 'warn', err: { type: 'MaxListenersExceededWarning' } },
  ]);
});
