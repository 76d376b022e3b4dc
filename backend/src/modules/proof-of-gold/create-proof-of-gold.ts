import type { Sweep, TaskList } from '../../platform/jobs/index.ts';
import type { Random } from '../../platform/ids/random.ts';
import { createRunJobs } from './proof.jobs.ts';
import { createProofSweeps } from './proof.sweeps.ts';
import type { PublishDeps } from './publish-statement.ts';

/** Wires the job and the sweeps of statements. Without a signing key there are no sweeps. */
export const createProofOfGold = (
  deps: PublishDeps & { readonly random: Pick<Random, 'bytes' | 'uuid'> },
  { confirmEveryMs }: { readonly confirmEveryMs: number },
): { readonly jobs: TaskList; readonly sweeps: readonly Sweep[] } =>
  deps.keys.length === 0
    ? { jobs: createRunJobs(deps), sweeps: [] }
    : { jobs: createRunJobs(deps), sweeps: createProofSweeps(deps, { confirmEveryMs }) };
