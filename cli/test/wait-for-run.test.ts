import { expect, it } from 'vitest';
import { CliError, exitCodes } from '../src/cli-error.ts';
import type { Deployment, DeployRun, RunList } from '../src/deploys/deploy.types.ts';
import { waitForRun } from '../src/deploys/wait-for-run.ts';

const started: Deployment = {
  target: 'backend',
  workflow: 'deploy-backend.yml',
  branch: 'main',
  correlationId: 'mine',
  dispatchedAt: '2026-01-01T00:00:00.000Z',
  run: { id: '7', url: 'https://ci.example/7' },
};

const run = (
  correlationId: string,
  status: string,
  conclusion: string | null = null,
): DeployRun => ({
  id: correlationId === 'mine' ? '7' : '8',
  target: 'backend',
  workflow: 'deploy-backend.yml',
  title: `Deploy backend (${correlationId})`,
  correlationId,
  status,
  conclusion,
  branch: 'main',
  event: 'workflow_dispatch',
  actor: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  url: 'https://ci.example/7',
});

/** Each answer of the CI in turn, the last one for ever. Time passes only by sleeping. */
const follow = (answers: readonly (readonly DeployRun[] | CliError)[], timeoutMs = 60_000) => {
  let now = 0;
  let count = 0;
  const printed: string[] = [];
  const deps = {
    now: () => new Date(now),
    sleep: async (ms: number) => {
      now += ms;
    },
    stderr: (text: string) => void printed.push(text),
    signal: new AbortController().signal,
  };
  const runs = async (): Promise<RunList> => {
    const next = answers[Math.min(count, answers.length - 1)] ?? [];
    count += 1;
    if (next instanceof CliError) throw next;
    return { items: next };
  };
  return { printed, ended: waitForRun(deps, { runs }, started, timeoutMs) };
};

it('follows its own run past one that has ended, and tells each change once', async () => {
  const other = run('another', 'completed', 'failure');
  const { printed, ended } = follow([
    [other],
    [other, run('mine', 'queued')],
    [other, run('mine', 'in_progress')],
    [other, run('mine', 'in_progress')],
    [other, run('mine', 'completed', 'success')],
  ]);
  expect(await ended).toMatchObject({ correlationId: 'mine', conclusion: 'success' });
  expect(printed).toEqual([
    'deployment mine: its run is not listed yet\n',
    'run 7: queued\n',
    'run 7: in_progress\n',
    'run 7: completed, success\n',
  ]);
});

it('asks a CI again that is away for a while', async () => {
  const away = new CliError('the CI is away', exitCodes.unreachable);
  const { printed, ended } = follow([away, away, [run('mine', 'completed', 'failure')]]);
  expect(await ended).toMatchObject({ conclusion: 'failure' });
  expect(printed).toEqual(['the CI is away; retrying\n', 'run 7: completed, failure\n']);
});

it('does not go on when it may not look', async () => {
  const { ended } = follow([new CliError('no', exitCodes.denied)]);
  await expect(ended).rejects.toMatchObject({ exitCode: exitCodes.denied });
});

it('gives up at the deadline, and says that the run goes on', async () => {
  const { ended } = follow([[run('mine', 'in_progress')]], 10_000);
  await expect(ended).rejects.toMatchObject({
    exitCode: exitCodes.timedOut,
    message: 'deployment mine did not end within 10 s',
    hint: 'It continues without goldctl: https://ci.example/7. "goldctl deploy runs" shows it.',
  });
});
