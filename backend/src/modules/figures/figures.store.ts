import { execute, selectOne, sql, type Db } from '../../platform/db/index.ts';
import { figuresSchema, type Figures } from './figures.types.ts';

/** The figures that a replica stored last. */
export interface StoredFigures {
  /** Undefined until a replica has stored figures for the first time. */
  readonly figures: Figures | undefined;
  /** The seconds since they were stored, or since their row was created if they never were. */
  readonly ageSeconds: number;
  /** The seconds since their row was created. They are the age of a run that was never made. */
  readonly knownForSeconds: number;
}

/**
 * Claims the turn to read the figures. Returns true for only one caller of all replicas within
 * `everyMs`, by the database's clock. The others show the stored figures.
 */
export const claimTurn = async (db: Db, everyMs: number): Promise<boolean> => {
  const claimed = await execute(
    db,
    sql`
      INSERT INTO figure_snapshot AS f (id, claimed_at) VALUES (1, now())
      ON CONFLICT (id) DO UPDATE SET claimed_at = now()
      WHERE f.claimed_at <= now() - ${everyMs}::int * interval '1 millisecond'`,
  );
  return claimed > 0;
};

export const updateFigures = async (db: Db, figures: Figures): Promise<void> => {
  await execute(
    db,
    sql`
      UPDATE figure_snapshot SET taken_at = now(), figures = ${JSON.stringify(figures)}::jsonb
      WHERE id = 1`,
  );
};

/** Returns the stored figures. Figures that another version stored in another form count as none. */
export const findFigures = async (db: Db): Promise<StoredFigures> => {
  const row = await selectOne<{ figures: unknown; age: number; known: number }>(
    db,
    sql`
      SELECT figures, extract(epoch FROM now() - coalesce(taken_at, created_at))::float8 AS age,
        extract(epoch FROM now() - created_at)::float8 AS known
      FROM figure_snapshot WHERE id = 1`,
  );
  const parsed = figuresSchema.safeParse(row?.figures);
  return {
    figures: parsed.success ? parsed.data : undefined,
    ageSeconds: row?.age ?? 0,
    knownForSeconds: row?.known ?? 0,
  };
};
