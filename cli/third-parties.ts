import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** Returns the folder of the package that a bundled file is of, or undefined for our own. */
const packageFolder = (path: string): string | undefined => {
  const form = /^(?<folder>(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//u;
  return form.exec(path)?.groups?.['folder'];
};

const isText = (name: string): boolean => /^(?:licen[cs]e|copying|notice)(?:\.|-|$)/iu.test(name);

const sectionOf = (folder: string): string => {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license = 'see below' } = JSON.parse(text) as Manifest; // npm's own form
  const texts = readdirSync(folder)
    .filter(isText)
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`## ${name} ${version} (${license})`, ...texts].join('\n\n');
};

/**
 * Returns the licences of the packages that the bundle was made of: they ask to be passed on with
 * it. The paths are those of the bundler, below `from`.
 */
export const listThirdParties = (inputs: readonly string[], from: string): string => {
  const folders = new Set(inputs.flatMap((path) => packageFolder(path) ?? []));
  const sections = [...folders].toSorted().map((folder) => sectionOf(join(from, folder)));
  return `# Packages inside goldctl\n\n${sections.join('\n\n')}\n`;
};
