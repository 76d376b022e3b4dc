import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '#test/support/database-of-file.ts';
import { eventually } from '#test/support/eventually.ts';
import { jobsOf, taskName } from '#test/support/job-queue.ts';
import { addSeconds } from '../clock/clock.ts';
import { createManualClock } from '../clock/manual-clock.ts';
import { createSilentLogger } from '../observability/logger.ts';
import { createScheduleMover } from './create-schedule-mover.ts';
import { cancelScheduled, schedule } from './enqueue.ts';

const logger = createSilentLogger();
const database = databaseOfFile();

describe('schedule', () => {
  const start = new Date('2026-03-01T00:00:00.000Z');
  const due = addSeconds(start, 90);

  it('moves a job to the queue when the business clock passes its time', async () => {
    const task = taskName();
    const clock = createManualClock(start);
    const mover = createScheduleMover({ db: database().db, clock, logger });
    await schedule(database().db, { task, payload: {}, key: task, dueAt: due, maxAttempts: 2 });
    expect(await mover.tick()).toBe(0);
    clock.advance(89_999);
    expect(await mover.tick()).toBe(0);
    clock.advance(1);
    expect(await mover.tick()).toBe(1);
    expect(await mover.tick()).toBe(0);
    expect(await jobsOf(database().db, task)).toEqual([{ task, key: task, max_attempts: 2 }]);
  });

  it('moves the wait when it is scheduled again, and forgets it when cancelled', async () => {
    const task = taskName();
    const clock = createManualClock(due);
    const mover = createScheduleMover({ db: database().db, clock, logger });
    const later = addSeconds(due, 60);
    await schedule(database().db, { task, payload: {}, key: task, dueAt: due });
    await schedule(database().db, { task, payload: {}, key: task, dueAt: later });
    expect(await mover.tick()).toBe(0);
    expect(await cancelScheduled(database().db, task)).toBe(true);
    expect(await cancelScheduled(database().db, task)).toBe(false);
    clock.set(addSeconds(later, 1));
    expect(await mover.tick()).toBe(0);
  });

  it('moves each row once, however many movers there are, over several batches', async () => {
    const task = taskName();
    const clock = createManualClock(due);
    const keys = Array.from({ length: 25 }, (_, n) => `${task}-${n}`);
    for (const key of keys) {
      await schedule(database().db, { task, payload: {}, key, dueAt: start });
    }
    const movers = Array.from({ length: 3 }, () =>
      createScheduleMover({ db: database().db, clock, logger, batchSize: 4 }),
    );
    const moved = await Promise.all(movers.map((mover) => mover.tick()));
    // A row that another mover holds is passed over, so one of them may end early.
    moved.push(...(await Promise.all(movers.map((mover) => mover.tick()))));
    expect(moved.reduce((sum, count) => sum + count, 0)).toBe(25);
    const queued = (await jobsOf(database().db, task)).map(({ key }) => key);
    expect(queued).toHaveLength(25);
    expect(new Set(queued)).toEqual(new Set(keys));
  });

  it('moves by itself once started', async () => {
    const task = taskName();
    const clock = createManualClock(start);
    const mover = createScheduleMover({ db: database().db, clock, logger, everyMs: 20 });
    await schedule(database().db, { task, payload: {}, key: task, dueAt: due });
    mover.start();
    clock.set(due);
    await eventually(async () => expect(await jobsOf(database().db, task)).toHaveLength(1));
    await mover.stop();
  });
});
