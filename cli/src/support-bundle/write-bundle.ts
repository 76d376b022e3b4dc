import { writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { pack } from 'tar-stream';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { resolveContext } from '../contexts/context.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs } from '../io/output.ts';
import { collect, type Collected } from './collect.ts';
import { knownSecrets } from './known-secrets.ts';
import { createRedactor } from './redact.ts';

/** A bundle that was written, as it is printed. */
export const bundleOutput = z.object({
  file: z.string(),
  files: z.array(z.string()),
  missing: z.array(z.string()),
});

const about = `Written by "goldctl support-bundle" for whoever helps.

versions.json     goldctl, Node and, in cluster/, Kubernetes
checks.json       every check of "goldctl check"
configuration/    the variables of each process and where their values come from, no secret among them
logs/             the last lines of each process's log
cluster/          deployments, pods and events of the namespace
missing.txt       what could not be had, and why

Secrets, and what looks like a secret or like the data of a person, are taken out. Read it before
you send it on.
`;

export interface BundleOptions {
  readonly file?: string;
  readonly lines: number;
}

const nameOf = (at: Date): string =>
  `goldctl-support-${at.toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z.tar.gz`;

const write = async (path: string, files: ReadonlyMap<string, string>, at: Date): Promise<void> => {
  const archive = pack();
  for (const [name, text] of files) archive.entry({ name, mtime: at, mode: 0o600 }, text);
  archive.finalize();
  try {
    writeFileSync(path, gzipSync(await buffer(archive)), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `${path} can't be written: ${reason}`,
      exitCodes.failed,
      '--file names another file. One that is there is not written over.',
    );
  }
};

const redacted = (
  { files, missing }: Collected,
  redact: (text: string) => string,
): Map<string, string> => {
  const all = [
    ['README.txt', about] as const,
    ...files,
    ['missing.txt', missing.length === 0 ? 'Nothing.\n' : `${missing.join('\n')}\n`] as const,
  ];
  return new Map(all.map(([name, text]) => [name, redact(text)]));
};

/** Writes logs, versions, checks and configuration into one file, without secrets. */
export const writeBundle = async (
  deps: CliDeps,
  { file, lines }: BundleOptions,
  command: Command,
): Promise<void> => {
  const globals = globalOptionsOf(command);
  const context = resolveContext(deps, globals);
  const at = deps.now();
  const path = file ?? nameOf(at);
  const redact = createRedactor(await knownSecrets(deps, context));
  const collected = await collect(deps, context, globals, { lines });
  const files = redacted(collected, redact);
  await write(path, files, at);
  const missing = collected.missing.map((line) => redact(line));
  printResult(deps, globals.output, {
    data: { file: path, files: [...files.keys()], missing },
    text: renderPairs([
      ['written', path],
      ['files', String(files.size)],
      ...missing.map((line) => ['not in it', line] as const),
    ]),
  });
};
