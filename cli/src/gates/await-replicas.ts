import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { GateSettings } from './gate-settings.ts';
import { reasonOf, type Replica } from './replicas.ts';

/** The pause in ms between queries. A node needs some seconds to write a new value into its pods. */
const pauseMs = 500;
/** The time in ms after which a replica is woken again. A woken node has updated its pods by then. */
const wakeAgainMs = 5000;

/** A replica that has read the new value, with the time until then. */
export interface Proof {
  readonly name: string;
  readonly seconds: number;
}

interface Wanted {
  readonly setting: string;
  readonly value: string;
  readonly timeoutMs: number;
  /** The replicas whose nodes were already woken. */
  readonly woken: ReadonlySet<string>;
}

interface State {
  readonly name: string;
  readonly problem?: string;
  /** True if the replica responds and reads another value. */
  readonly isStale?: boolean;
}

const secondsSince = (deps: CliDeps, startedAtMs: number): number =>
  Math.round((deps.now().getTime() - startedAtMs) / 100) / 10;

const stateOf = async (
  deps: CliDeps,
  replica: Replica,
  { setting, value }: Wanted,
): Promise<State> => {
  try {
    const read = await replica.query(setting);
    if (read === value) return { name: replica.name };
    const problem = `still reads "${read ?? '(missing)'}"`;
    return { name: replica.name, problem, isStale: true };
  } catch (error) {
    return { name: replica.name, problem: reasonOf(deps, error) };
  }
};

/**
 * Creates the function that wakes replicas which still read the old value. A replica that started
 * after the change is woken at once, and every stale replica again from time to time. A node that was
 * woken while it mounted a pod's volumes may have read the old value, and would read again only after
 * a minute.
 */
const createWaker = (
  deps: CliDeps,
  { hurry }: Pick<GateSettings, 'hurry'>,
  woken: ReadonlySet<string>,
) => {
  const startedAtMs = deps.now().getTime();
  const wokenAt = new Map([...woken].map((name) => [name, startedAtMs]));
  return async (states: readonly State[]): Promise<void> => {
    const now = deps.now();
    const isDue = ({ name, isStale = false }: State): boolean =>
      isStale && now.getTime() - (wokenAt.get(name) ?? -Infinity) >= wakeAgainMs;
    const names = states.filter(isDue).map(({ name }) => name);
    if (names.length === 0) return;
    for (const name of names) wokenAt.set(name, now.getTime());
    // The failure of the first try was printed. The change also arrives without waking.
    await hurry(now, names).catch(() => []);
  };
};

/**
 * Waits until every replica reads the new value, including replicas that start in the meantime. Prints
 * the name of each replica that does to standard error.
 * @throws CliError timedOut that names the replicas that did not read it in time
 */
export const awaitReplicas = async (
  deps: CliDeps,
  settings: Pick<GateSettings, 'replicas' | 'hurry'>,
  wanted: Wanted,
): Promise<readonly Proof[]> => {
  const startedAtMs = deps.now().getTime();
  const proofs = new Map<string, Proof>();
  const wake = createWaker(deps, settings, wanted.woken);
  for (;;) {
    const current = await settings.replicas();
    const open = current.filter(({ name }) => !proofs.has(name));
    const states = await Promise.all(open.map((replica) => stateOf(deps, replica, wanted)));
    for (const { name, problem } of states) {
      if (problem !== undefined) continue;
      const seconds = secondsSince(deps, startedAtMs);
      proofs.set(name, { name, seconds });
      deps.stderr(`${name} reads it after ${seconds.toFixed(1)} s\n`);
    }
    const missing = states.filter(({ problem }) => problem !== undefined);
    if (missing.length === 0) return [...proofs.values()];
    const remainingMs = wanted.timeoutMs - (deps.now().getTime() - startedAtMs);
    if (remainingMs <= 0) throw tooLate(missing, wanted.timeoutMs);
    await wake(missing);
    await deps.sleep(Math.min(pauseMs, remainingMs), deps.signal);
  }
};

const tooLate = (missing: readonly State[], timeoutMs: number): CliError => {
  const named = missing.map(({ name, problem = '' }) => `${name}: ${problem}`).join('; ');
  return new CliError(
    `the setting is written, but after ${timeoutMs / 1000} s not every replica has applied it: ${named}`,
    exitCodes.timedOut,
    'Repeat the command to wait longer; "goldctl check" says what is wrong with the replica.',
  );
};
