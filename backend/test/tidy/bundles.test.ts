import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callTestServers } from '../support/call-test-servers.ts';

const dist = join(import.meta.dirname, '..', '..', 'dist');

/** Packages that some processes have no use for, each of which costs its memory in every other. */
const useless: Readonly<Record<string, readonly string[]>> = {
  sandbox: ['@prisma/client', 'pg', '@node-rs/argon2', 'ioredis'],
  migrate: ['@prisma/client', 'express', 'ioredis'],
  worker: ['express', 'socket.io', '@octokit/rest'],
  accounting: ['socket.io', '@octokit/rest', '@aws-sdk/client-kms', 'graphile-worker'],
  customer: ['@octokit/rest', 'graphile-worker'],
};

/** The packages that a bundle loads as it starts. */
const loadedBy = (app: string): Set<string> => {
  const bundle = readFileSync(join(dist, app, 'main.js'), 'utf8');
  const imports = bundle.matchAll(
    /^import (?:[^;]*? from )?"(?<name>(?:@[^/"]+\/)?[^/"]+)[^"]*";$/gmu,
  );
  return new Set([...imports].map(({ groups }) => groups?.['name'] ?? ''));
};

describe('bundles', () => {
  beforeAll(async () => {
    for (const app of Object.keys(useless)) await callTestServers('POST', `/builds/${app}`);
  });

  it.each(Object.entries(useless))('%s loads nothing that it has no use for', (app, packages) => {
    const loaded = loadedBy(app);
    expect(loaded).toContain('zod');
    expect(packages.filter((name) => loaded.has(name))).toEqual([]);
  });
});
