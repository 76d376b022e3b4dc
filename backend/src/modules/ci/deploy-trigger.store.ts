import type { DeployTarget } from '../../adapters/ci/port.ts';
import type { Db } from '../../platform/db/index.ts';
import type { TriggerStatus } from './ci.types.ts';

interface NewTrigger {
  readonly id: string;
  readonly target: DeployTarget;
  readonly actorId: string;
}

/** The rows of `deploy_trigger`. `at` is a lock's time, so it is on the database's own clock. */
export const createDeployTriggerStore = (db: Db) => ({
  /** Lets one trigger at a time be decided on, until the transaction ends. Readers go on. */
  async lock(): Promise<void> {
    await db.$executeRaw`LOCK TABLE deploy_trigger IN SHARE ROW EXCLUSIVE MODE`;
  },

  /**
   * For how many more milliseconds nothing may be started; undefined where something may. What
   * the CI system turned away started nothing. A time ahead of now is of a clock that was set
   * back: near, it holds; far, it would hold for too long.
   */
  async lockedForMs(lockMs: number): Promise<number | undefined> {
    const [row] = await db.$queryRaw<{ sinceMs: number }[]>`
      SELECT (extract(epoch FROM clock_timestamp() - at) * 1000)::float8 AS "sinceMs"
      FROM deploy_trigger
      WHERE status <> 'REFUSED'
        AND at > clock_timestamp() - ${lockMs}::int * interval '1 millisecond'
        AND at < clock_timestamp() + ${lockMs}::int * interval '1 millisecond'
      ORDER BY at DESC LIMIT 1`;
    return row === undefined ? undefined : lockMs - Math.max(0, row.sinceMs);
  },

  /** Writes a trigger that is about to be sent, and answers its time. */
  async insert({ id, target, actorId }: NewTrigger): Promise<Date> {
    const [row] = await db.$queryRaw<{ at: Date }[]>`
      INSERT INTO deploy_trigger (id, target, status, actor_id, at)
      VALUES (${id}::uuid, ${target}, 'DISPATCHING', ${actorId}::uuid, clock_timestamp())
      RETURNING at`;
    if (row === undefined) throw new Error('an inserted trigger has a time');
    return row.at;
  },

  /** Writes what became of a trigger on its way; false where that was written before. */
  async settle(id: string, status: TriggerStatus, detail: string | undefined): Promise<boolean> {
    const { count } = await db.deployTrigger.updateMany({
      where: { id, status: 'DISPATCHING' },
      data: { status, detail: detail ?? null },
    });
    return count === 1;
  },
});
