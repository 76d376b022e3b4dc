import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const github = join(import.meta.dirname, '..', '..', '.github');

const stepShape = z.looseObject({
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).default({}),
});
const jobShape = z.object({
  env: z.record(z.string(), z.string()).default({}),
  steps: z.array(stepShape),
});
const pageShape = z.looseObject({
  env: z.record(z.string(), z.string()).default({}),
  jobs: z.record(z.string(), jobShape).default({}),
  runs: z.object({ steps: z.array(stepShape) }).optional(),
});

interface ShellStep {
  readonly title: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

const pages = ['workflows', 'actions'].flatMap((folder) =>
  readdirSync(join(github, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yml'))
    .map((name) => join(folder, name)),
);

/** Every shell step of the workflows and of the actions that they share. */
const steps = pages.flatMap((path): ShellStep[] => {
  const page = pageShape.parse(parse(readFileSync(join(github, path), 'utf8')));
  const action = page.runs === undefined ? [] : [{ env: {}, ...page.runs }];
  const jobs = [...Object.values(page.jobs), ...action];
  return jobs.flatMap((job) =>
    job.steps.flatMap(({ run, env }, index) => {
      const own = { ...page.env, ...job.env, ...env };
      return run === undefined ? [] : [{ title: `${path} step ${index + 1}`, run, env: own }];
    }),
  );
});

/** Gives a variable of the made-up run something of its kind. */
const madeUp: Readonly<Record<string, string>> = {
  TAG: 'v1.2.3-rc.1',
  IMAGE: 'ghcr.io/Digital-Gold/Service',
  CHART_REGISTRY: 'oci://ghcr.io/Digital-Gold/charts',
  TITLE: 'Newer versions',
};

const programs = ['make', 'gh', 'git', 'docker', 'npm', 'kind', 'helm', 'kubectl', 'sudo'];

/** Reads to its end what is piped to it, so that nobody writes to a program that is gone. */
const hears = '#!/bin/sh\ncat >/dev/null\n';

/** Runs a step in a folder of its own, in which every program only says what it was asked. */
const play = ({ run, env }: ShellStep) => {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const put = (path: string, text: string, mode = 0o644): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
  };
  const scripts = [...run.matchAll(/(?<![\w/])(?:\.ci|\.tools|deploy\/scripts)\/[\w./-]+/gu)];
  for (const name of programs) put(`bin/${name}`, `${hears}echo "${name} $*"\n`, 0o755);
  for (const [path] of scripts) put(path, `${hears}echo "$0 $*"\n`, 0o755);
  // The steps before would have left these.
  for (const path of ['.dev/image.digest', '.dev/chart.digest']) put(path, 'sha256:00');
  for (const path of ['.dev/kind.env', 'simulation.txt', 'newer.md']) put(path, 'A=b\n');
  put('loadtests/results/journeys.md', '# Journeys\n');
  const files = { GITHUB_OUTPUT: 'output', GITHUB_STEP_SUMMARY: 'summary', GITHUB_ENV: 'env' };
  const variables = Object.fromEntries([
    ...Object.keys(env).map((name) => [name, madeUp[name] ?? 'made-up']),
    ...Object.entries({ ...files, GITHUB_PATH: 'path' }).map(([name, file]) => [
      name,
      join(folder, file),
    ]),
  ]);
  const shell = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', run], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
      RUNNER_TEMP: folder,
      // A step before set it by GITHUB_ENV.
      CLUSTER_IMAGE: 'digital-gold:cluster',
      ...variables,
    },
  });
  return { ...shell, read: (file: string) => readFileSync(join(folder, file), 'utf8') };
};

it.each(steps)('$title runs with made-up variables', (step) => {
  const { status, stderr } = play(step);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

const stepOf = (text: string): ShellStep => {
  const [found, ...others] = steps.filter(({ run }) => run.includes(text));
  if (found === undefined || others.length > 0) throw new Error(`not one step has "${text}"`);
  return found;
};

it('takes a tag without its "v" for the version, and no other tag', () => {
  const step = stepOf('version=${TAG#v}');
  expect(play(step).read('output')).toBe('version=1.2.3-rc.1\n');
  const typed = { ...step, run: step.run.replaceAll('$TAG', '1.2; rm') };
  expect(play(typed).status).toBe(1);
});

it('asks for the release file under a branch of its own', () => {
  const { stdout } = play(stepOf('gh pr create'));
  expect(stdout).toContain('git push origin release/made-up');
  expect(stdout).toContain('--chart oci://ghcr.io/digital-gold/charts/digital-gold');
});

it('brings the open issue about newer versions up to date', () => {
  const edit = { ...stepOf('gh issue edit') };
  expect(play(edit).stdout).toMatch(/^gh issue edit gh issue list /u);
});
