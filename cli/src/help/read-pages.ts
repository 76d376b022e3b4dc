import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const repository = join(import.meta.dirname, '..', '..', '..');

const folders = { '': ['cli', 'docs'], 'runbook/': ['backend', 'docs', 'runbooks'] } as const;

const configurationPage = join(repository, 'backend', 'docs', 'configuration.md');

/**
 * Reads the pages that goldctl shows, by names such as `checks` and `runbook/redis-down`. The page of
 * the configuration is read for its tables.
 */
export const readPages = (): Readonly<Record<string, string>> => ({
  configuration: readFileSync(configurationPage, 'utf8'),
  ...Object.fromEntries(
    Object.entries(folders).flatMap(([prefix, path]) => {
      const folder = join(repository, ...path);
      const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
      return files.map((name) => [
        `${prefix}${basename(name, '.md')}`,
        readFileSync(join(folder, name), 'utf8'),
      ]);
    }),
  ),
});
