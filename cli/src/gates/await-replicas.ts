import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { reasonOf, type Replica } from './replicas.ts';

/** Short beside the seconds that a node takes to write the new value into its pods. */
const pauseMs = 500;

/** A replica that said that it reads the new value, and when. */
export interface Proof {
  readonly name: string;
  readonly seconds: number;
}

interface Wanted {
  readonly setting: string;
  readonly value: string;
  readonly timeoutMs: number;
}

const secondsSince = (deps: CliDeps, begun: number): number =>
  Math.round((deps.now().getTime() - begun) / 100) / 10;

const stateOf = async (
  deps: CliDeps,
  replica: Replica,
  { setting, value }: Wanted,
): Promise<{ readonly name: string; readonly problem?: string }> => {
  try {
    const read = await replica.ask(setting);
    if (read === value) return { name: replica.name };
    return { name: replica.name, problem: `still reads "${read ?? '(missing)'}"` };
  } catch (error) {
    return { name: replica.name, problem: reasonOf(deps, error) };
  }
};

/**
 * Waits until every replica says that it reads the new value, those that start meanwhile among
 * them. Prints each to standard error as it says so.
 * @throws CliError timedOut that names the replicas that did not say so in time
 */
export const awaitReplicas = async (
  deps: CliDeps,
  replicas: () => Promise<readonly Replica[]>,
  wanted: Wanted,
): Promise<readonly Proof[]> => {
  const begun = deps.now().getTime();
  const proofs = new Map<string, Proof>();
  for (;;) {
    const current = await replicas();
    const open = current.filter(({ name }) => !proofs.has(name));
    const states = await Promise.all(open.map((replica) => stateOf(deps, replica, wanted)));
    for (const { name, problem } of states) {
      if (problem !== undefined) continue;
      const seconds = secondsSince(deps, begun);
      proofs.set(name, { name, seconds });
      deps.stderr(`${name} reads it after ${seconds.toFixed(1)} s\n`);
    }
    const missing = states.filter(({ problem }) => problem !== undefined);
    if (missing.length === 0) return [...proofs.values()];
    const leftMs = wanted.timeoutMs - (deps.now().getTime() - begun);
    if (leftMs <= 0) throw tooLate(missing, wanted.timeoutMs);
    await deps.sleep(Math.min(pauseMs, leftMs), deps.signal);
  }
};

const tooLate = (
  missing: readonly { readonly name: string; readonly problem?: string }[],
  timeoutMs: number,
): CliError => {
  const named = missing.map(({ name, problem = '' }) => `${name}: ${problem}`).join('; ');
  return new CliError(
    `the setting is written, but after ${timeoutMs / 1000} s not every replica says so: ${named}`,
    exitCodes.timedOut,
    'Repeat the command to wait longer; "goldctl check" says what is wrong with the replica.',
  );
};
