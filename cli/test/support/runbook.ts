import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createTimers } from '../../../backend/src/platform/clock/timers.ts';
import { connectRedis } from '../../../backend/test/support/connect-redis.ts';
import { hasListener } from '../../../backend/test/support/has-listener.ts';
import type { ExitCode } from '../../src/cli-error.ts';
import { repository, type StackHome } from './stack-home.ts';
import { runInProcess, type RunOptions } from './run-in-process.ts';

const timers = createTimers();

const folder = join(repository, 'backend', 'docs', 'runbooks');

/** Every runbook by its name. */
export const runbookNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => basename(file, '.md'));

export const runbookText = (name: string): string =>
  readFileSync(join(folder, `${name}.md`), 'utf8');

/** Removes the symptoms, since they name commands that are not the way out. */
const withoutSymptoms = (page: string): string =>
  page.replaceAll(/^\*\*How it shows\*\*.*$/gmu, '');

const withoutComment = (line: string): string => line.replace(/\s+#.*$/u, '').trim();

/** Returns goldctl's command lines of a page, in its order, each once. */
export const commandsOf = (page: string): string[] => {
  const fenced = [...page.matchAll(/```sh\n(?<body>[\s\S]*?)```/gu)].flatMap(({ groups }) =>
    (groups?.['body'] ?? '')
      .replaceAll(/\\\n\s*/gu, '')
      .split('\n')
      .map(withoutComment),
  );
  const inline = [...page.matchAll(/`(?<line>goldctl [^`\n]+)`/gu)].map(
    ({ groups }) => groups?.['line'] ?? '',
  );
  return [...new Set([...fenced, ...inline])].filter((line) => line.startsWith('goldctl '));
};

/** Splits a line into its words, as a shell does with double quotes. */
export const wordsOf = (line: string): string[] =>
  (line.match(/"[^"]*"|[^\s"]+/gu) ?? []).map((word) => word.replaceAll('"', '')).slice(1);

export interface PlayOptions extends RunOptions {
  /** What stands for the page's own words: `$ID`, `EMAIL`, `48210`. */
  readonly replacing?: Readonly<Record<string, string>>;
}

/**
 * Takes back what the admin API has counted of this address: a file of tests plays more in a minute
 * than the sixty requests that an operator has. Where Redis is stopped or not known, nothing is
 * counted there.
 */
const forgetRequests = async ({ STACK_HOME: home = '' }: StackHome['env']): Promise<void> => {
  const { redis: url } = JSON.parse(readFileSync(join(home, 'endpoints.json'), 'utf8'));
  if (url === undefined || !(await hasListener(Number(new URL(url).port)))) return;
  const redis = await connectRedis(url);
  try {
    const keys = await redis.keys('rate-limit:admin:*');
    if (keys.length > 0) await redis.del(...keys);
  } finally {
    redis.disconnect();
  }
};

/** Opens a page whose commands are played on a stack. One that is not on the page is refused. */
export const openRunbook = (name: string, env: StackHome['env']) => {
  const commands = commandsOf(withoutSymptoms(runbookText(name)));
  const played = new Set<string>();
  return {
    async play(
      line: string,
      { replacing = {}, ...more }: PlayOptions = {},
    ): Promise<{ code: ExitCode; stdout: string; stderr: string }> {
      if (!commands.includes(line)) {
        throw new Error(`runbook ${name} has no "${line}": ${commands.join(' | ')}`);
      }
      played.add(line);
      await forgetRequests(env);
      const words = wordsOf(line).map((word) => replacing[word] ?? word);
      return runInProcess(words, {
        now: new Date(),
        sleep: (ms) => timers.sleep(ms),
        ...more,
        repository,
        env: { ...env, ...more.env },
      });
    },
    /** The commands of the page that nobody has played. */
    unplayed: (): string[] => commands.filter((line) => !played.has(line)),
  };
};
