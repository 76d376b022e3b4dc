import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakePod, type FakeObject } from './support/fake-kubernetes-objects.ts';
import {
  answerAsWell,
  startFakeKubernetes,
  type FakeKubernetes,
} from './support/fake-kubernetes.ts';
import { runInProcess, type RunOptions } from './support/run-in-process.ts';

let cluster: FakeKubernetes;

const name = '29991231000000_newer';
const labels = {
  'app.kubernetes.io/part-of': 'digital-gold',
  'app.kubernetes.io/component': 'migrate',
};
const job: FakeObject = {
  metadata: { name: 'gold-migrate-1', labels, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    template: {
      metadata: { labels: { ...labels, 'job-name': 'gold-migrate-1' } },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'migrate', image: 'gold:1', args: ['node', 'dist/migrate/main.js'] }],
      },
    },
  },
};

beforeEach(async () => {
  cluster = await startFakeKubernetes();
  cluster.put('jobs', job);
  cluster.onExec((exec) => {
    if (!exec.command.includes('migrate')) return answerAsWell(exec);
    const failed = [{ name, startedAt: '2026-01-01T00:00:00Z', reason: 'division by zero' }];
    return { exitCode: 0, stdout: JSON.stringify({ pending: ['2999_missing'], failed }) };
  });
});
afterEach(() => cluster.close());

const goldctl = (args: readonly string[], more: RunOptions = {}) =>
  runInProcess(['--context', 'test', ...args], { ...more, env: cluster.env });

it('shows what is missing and what failed, and exits with 3', async () => {
  const shown = await goldctl(['migrate', 'status']);
  expect(shown).toMatchObject({ code: 3 });
  expect(shown.stdout).toMatch(new RegExp(`^${name} +failed +\\S+ +division by zero$`, 'mu'));
  expect(shown.stdout).toMatch(/^2999_missing +missing /mu);
});

/** Makes every new job end so. */
const ending = (status: object): FakeObject[] => {
  const made: FakeObject[] = [];
  cluster.state.onCreate = (resource, object) => {
    if (resource !== 'jobs') return object;
    made.push(object);
    const pod = fakePod('migrate', { suffix: 'resolve' });
    const own = { ...labels, 'job-name': object.metadata.name };
    cluster.put('pods', { ...pod, metadata: { ...pod.metadata, labels: own } });
    return { ...object, status };
  };
  return made;
};

it('resolves one by a job like the release’s own, which is taken away again', async () => {
  const made = ending({ succeeded: 1 });
  expect((await goldctl(['migrate', 'resolve', name])).code).toBe(2);
  expect(made).toEqual([]);
  const resolved = await goldctl(['migrate', 'resolve', name, '--yes']);
  expect(resolved).toMatchObject({ code: 0 });
  expect(resolved.stdout).toContain('is recorded as rolled back');
  expect(made).toMatchObject([
    {
      spec: {
        backoffLimit: 0,
        template: {
          metadata: { labels },
          spec: {
            restartPolicy: 'Never',
            containers: [
              { image: 'gold:1', args: ['node', 'dist/migrate/main.js', 'resolve', name] },
            ],
          },
        },
      },
    },
  ]);
  expect(JSON.stringify(made)).not.toContain('"job-name":"gold-migrate-1"');
  expect([...cluster.state.objects.jobs.keys()]).toEqual(['gold-migrate-1']);
});

it('says what the job said where it failed, and which migration is none', async () => {
  ending({ conditions: [{ type: 'Failed', status: 'True' }] });
  cluster.state.logs.set('gold-migrate-resolve', 'migrate: the database does not answer\n');
  const failed = await goldctl(['migrate', 'resolve', name, '--yes']);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('migrate: the database does not answer');
  expect([...cluster.state.objects.jobs.keys()]).toEqual(['gold-migrate-1']);
  const other = await goldctl(['migrate', 'resolve', 'garden', '--yes']);
  expect(other.stderr).toContain(`Failed: ${name}.`);
});

it('gives up after a while, and says where no job is there to repeat', async () => {
  ending({ active: 1 });
  expect(await goldctl(['migrate', 'resolve', name, '--yes'])).toMatchObject({ code: 124 });
  cluster.remove('jobs', 'gold-migrate-1');
  const none = await goldctl(['migrate', 'resolve', name, '--yes']);
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toContain('there is no migration job');
});
