import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/u, 'must be sha256: and 64 hexadecimal digits');

/** The content of a release's file, as `scripts/write-release.ts` writes it. */
export const releaseSchema = z.strictObject({
  version: z.string(),
  chart: z.strictObject({
    /** An address of a registry such as `oci://…`, a file or a folder. */
    source: z.string().min(1),
    /** The version of the registry's chart. It is left out for a file or a folder. */
    version: z.string().optional(),
  }),
  image: z.strictObject({
    repository: z.string().min(1),
    tag: z.string().min(1),
    digest,
  }),
});

/** The chart, the image and its digest that were released under one version. */
export type Release = z.output<typeof releaseSchema>;

/** The files of the releases, by their versions. */
export interface Releases {
  /** Returns a release, or undefined if there is no file of that version. */
  readonly read: (version: string) => Release | undefined;
  readonly versions: () => readonly string[];
}

/**
 * Opens the folder of the releases' files.
 * @throws Error from `read` naming the file and the key that is wrong in it.
 */
export const openReleases = (folder: string): Releases => ({
  read: (version) => {
    const file = join(folder, `${version}.yaml`);
    if (!existsSync(file)) return undefined;
    const parsed = releaseSchema.safeParse(parse(readFileSync(file, 'utf8')));
    if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
    if (parsed.data.version !== version) {
      throw new Error(`${file}: version is ${parsed.data.version}, not the version in its name`);
    }
    return parsed.data;
  },
  versions: () =>
    existsSync(folder)
      ? readdirSync(folder).flatMap((name) => /^(?<version>\d.*)\.yaml$/u.exec(name)?.[1] ?? [])
      : [],
});
