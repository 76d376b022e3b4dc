import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const folder = join(import.meta.dirname, '..', '..', '.github', 'workflows');
const workflows = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8'),
}));

const rights = z.record(z.string(), z.string());
const workflowShape = z.object({
  permissions: rights,
  jobs: z.record(z.string(), z.looseObject({ permissions: rights.optional() })),
});

/** The text in a job by which it uses a right. */
const usesOfRights: Readonly<Record<string, RegExp>> = {
  'contents: read': /actions\/checkout@/u,
  'contents: write': /gh release create|git push origin/u,
  'pull-requests: write': /gh pr create/u,
  'issues: write': /gh issue create/u,
  'packages: read': /docker\/login-action@/u,
  'packages: write': /ghcr\.io/u,
  'attestations: read': /verify-release\.sh/u,
  'id-token: write': /actions\/attest-build-provenance@|actions\/(?:reach-cluster|deploy-release)/u,
  'attestations: write': /actions\/attest-build-provenance@/u,
};

it('gives a job no right that it does not use', () => {
  const idle = workflows.flatMap(({ name, text }) => {
    const { permissions, jobs } = workflowShape.parse(parse(text));
    return Object.entries(jobs).flatMap(([job, own]) =>
      Object.entries(own.permissions ?? permissions)
        .map(([right, kind]) => `${right}: ${kind}`)
        .filter((right) => usesOfRights[right]?.test(JSON.stringify(own)) !== true)
        .map((right) => `${name} ${job} ${right}`),
    );
  });
  expect(idle).toEqual([]);
});

it('signs in at the registry wherever a stack or its release is read', () => {
  const strangers = workflows.flatMap(({ name, text }) =>
    Object.entries(workflowShape.parse(parse(text)).jobs)
      .map(([job, own]) => ({ title: `${name} ${job}`, told: JSON.stringify(own) }))
      .filter(({ told }) => /make deploy(?:-preview)? STACK|verify-release\.sh/u.test(told))
      .filter(({ told }) => !/docker\/login-action@.*(?:make deploy|verify-release)/u.test(told))
      .map(({ title }) => title),
  );
  expect(strangers).toEqual([]);
});

it('hands no workflow all secrets', () => {
  const all = workflows.filter(({ text }) => text.includes('secrets: inherit'));
  expect(all.map(({ name }) => name)).toEqual([]);
});
