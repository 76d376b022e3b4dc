import type { Connections } from './connections.ts';

/** The time between two measurements, in milliseconds. */
const everyMs = 2000;
/** The age, in milliseconds, from which a measurement is ignored. */
const freshMs = 10_000;

interface PositionRow {
  readonly position: string;
}

interface StandbyRow extends PositionRow {
  readonly standby: boolean;
}

/** A place in the primary's log, and the moment at which it was first seen there. */
interface Mark {
  readonly position: bigint;
  readonly seenAt: number;
}

interface LagOptions {
  readonly primary: Pick<Connections, 'ask'>;
  readonly replica: Pick<Connections, 'ask'>;
  /** Real milliseconds that only grow. */
  readonly now: () => number;
}

/** Measures how far a standby is behind its primary. */
export interface ReplicaLag {
  /** Returns the lag in milliseconds, or undefined while it is not known. */
  readonly current: () => number | undefined;
  /** Queries both servers now. */
  readonly look: () => Promise<void>;
  readonly stop: () => void;
}

const primaryPosition = `SELECT (pg_current_wal_lsn() - '0/0')::text AS position`;
// A server that is no longer a standby has its own timeline, so its position is not compared.
const standbyPosition = `
  SELECT pg_is_in_recovery() AS standby,
    (coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END, '0/0') - '0/0')::text
      AS position`;

/**
 * Measures the lag of a standby by the primary's log: how long ago the primary first had what the
 * standby has not replayed yet. The standby's own report is not enough, since a standby that has
 * lost its primary does not know what it lacks.
 */
export const createReplicaLag = ({ primary, replica, now }: LagOptions): ReplicaLag => {
  let marks: Mark[] = [];
  let measured: { readonly lagMs: number; readonly measuredAt: number } | undefined;
  let isLooking = false;

  const look = async (): Promise<void> => {
    const [written] = await primary.ask<PositionRow>(primaryPosition);
    const seenAt = now();
    const [row] = await replica.ask<StandbyRow>(standbyPosition);
    if (written === undefined || row?.standby !== true) {
      measured = undefined;
      return;
    }
    const position = BigInt(written.position);
    if ((marks.at(-1)?.position ?? -1n) < position) marks.push({ position, seenAt });
    const replayed = BigInt(row.position);
    marks = marks.filter((mark) => mark.position > replayed);
    const oldest = marks[0];
    measured = { lagMs: oldest === undefined ? 0 : now() - oldest.seenAt, measuredAt: now() };
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, everyMs).unref();

  return {
    look,
    current: () =>
      measured === undefined || now() - measured.measuredAt > freshMs
        ? undefined
        : measured.lagMs + now() - measured.measuredAt,
    stop: () => clearInterval(timer),
  };
};
