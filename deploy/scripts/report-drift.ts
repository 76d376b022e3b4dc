import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { compareObjects } from '../src/drift/compare-objects.ts';
import { stackObjects, type Deployed, type StackObjects } from '../src/drift/stack-objects.ts';

/**
 * Reports the differences between the cluster and a stack, whose export with its secrets is on
 * stdin. It only reads. It exits with 1 if there is a difference.
 */

const folder = mkdtempSync(join(tmpdir(), 'drift-'));
const answerSchema = z.union([
  z.object({ kind: z.literal('List'), items: z.array(z.unknown()) }),
  z.record(z.string(), z.unknown()).transform((item) => ({ items: [item] })),
]);

/** Returns a function that reads objects from the cluster of a stack. */
const openCluster = ({ kubeconfig, context }: StackObjects) => {
  const env = { ...process.env };
  if (kubeconfig !== undefined) {
    const file = join(folder, 'kubeconfig');
    if (!existsSync(kubeconfig)) writeFileSync(file, kubeconfig, { mode: 0o600 });
    env['KUBECONFIG'] = existsSync(kubeconfig) ? kubeconfig : file;
  }
  const place = context === undefined ? [] : ['--context', context];
  const options = ['--ignore-not-found', '--show-managed-fields', '--output=json'];
  return (objects: readonly Deployed[]) => {
    const items = objects.map(({ wanted: { apiVersion, kind, metadata } }) => ({
      apiVersion,
      kind,
      metadata: { name: metadata.name, namespace: metadata['namespace'] },
    }));
    if (items.length === 0) return { items: [], refusal: '' };
    const { status, stdout, stderr } = spawnSync(
      'kubectl',
      [...place, 'get', ...options, '-f', '-'],
      {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
        env,
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    );
    if (status !== 0) return { items: [], refusal: stderr };
    return {
      items: stdout.trim() === '' ? [] : answerSchema.parse(JSON.parse(stdout)).items,
      refusal: '',
    };
  };
};

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Prints the differences from the deployed objects, and returns the exit code. */
const report = (stack: StackObjects): number => {
  const open = stack.objects.filter(({ wanted }) => wanted.kind !== 'Secret');
  const secrets = stack.objects.filter(({ wanted }) => wanted.kind === 'Secret');
  if (open.length === 0) throw new Error('the stack has no object on a cluster');
  const read = openCluster(stack);
  const found = read(open);
  if (found.refusal !== '') throw new Error(found.refusal);
  const foundSecrets = read(secrets);
  const mayRead = foundSecrets.refusal === '';
  if (!mayRead && !/forbidden/iu.test(foundSecrets.refusal)) throw new Error(foundSecrets.refusal);
  const compared = [...open, ...(mayRead ? secrets : [])];
  const drift = compareObjects(compared, [...found.items, ...foundSecrets.items]);
  if (!mayRead) say('Secrets were not compared: this user may not read them');
  if (drift.length === 0) {
    say(`${compared.length} objects are as they were deployed`);
    return 0;
  }
  say(drift.join('\n'));
  return 1;
};

try {
  process.exitCode = report(stackObjects(await json(process.stdin)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
} finally {
  rmSync(folder, { recursive: true });
}
