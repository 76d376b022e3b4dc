import type { Timers } from '../../platform/clock/timers.ts';
import { createClient } from '../../platform/db/index.ts';

export interface WaitOptions {
  readonly url: string;
  readonly seconds: number;
  readonly timers: Timers;
  readonly log: (message: string) => void;
}

const connectOnce = async (url: string): Promise<void> => {
  const client = createClient({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
};

const reasonOf = (error: unknown): string => {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? String(code) : message;
};

/** Resolves when the database answers. Throws the last error after `seconds`. */
export const waitForDatabase = async ({
  url,
  seconds,
  timers,
  log,
}: WaitOptions): Promise<void> => {
  const deadline = performance.now() + seconds * 1000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await connectOnce(url);
      return;
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      if (attempt % 10 === 1) log(`waiting for the database: ${reasonOf(error)}`);
      await timers.sleep(1000);
    }
  }
};
