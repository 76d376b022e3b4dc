import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRunFolder } from './run-folder.ts';

/** The number of a process that has ended. */
const endedPid = (): number => spawnSync(process.execPath, ['--version']).pid;

it.each([true, false])(
  'is removed by the next run when its own was killed, in memory: %s',
  async (inMemory) => {
    const [killed, alive] = [await openRunFolder({ inMemory }), await openRunFolder({ inMemory })];
    writeFileSync(join(killed.path, 'owner'), `${endedPid()} node vitest`);
    const next = await openRunFolder();
    try {
      expect(existsSync(killed.path)).toBe(false);
      expect(existsSync(alive.path)).toBe(true);
    } finally {
      await Promise.all([alive.close(), next.close()]);
    }
    expect(existsSync(next.path)).toBe(false);
  },
);
