import type { Database } from '../../src/platform/db/index.ts';
import { createGate } from './gate.ts';

/**
 * Opens so many connections of a pool, one after another: a busy machine may need longer for all at
 * once than a pool waits for one.
 */
export const openConnections = async (database: Database, count: number): Promise<void> => {
  const gate = createGate();
  const held: Promise<void>[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const isOpen = createGate();
    const hold = async (): Promise<void> => {
      isOpen.open();
      await gate.opened;
    };
    const holding = database.inTransaction(hold, { timeoutMs: 60_000 });
    held.push(holding);
    await Promise.race([isOpen.opened, holding]);
  }
  gate.open();
  await Promise.all(held);
};
