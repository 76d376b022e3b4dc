import { CliError, exitCodes } from '../cli-error.ts';
import { pages } from './pages.ts';

/** A part of a page, from its heading to the next heading of the same or a higher level. */
interface Section {
  readonly name: string;
  readonly title: string;
  readonly text: string;
}

const nameOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');

const depthOf = (line: string): number => /^(#{1,4}) /u.exec(line)?.[1]?.length ?? 0;

/** Returns the sections of a page. A section contains its subsections. */
const sectionsOf = (page: string): Section[] => {
  const lines = page.split('\n');
  return lines.flatMap((line, start) => {
    const depth = depthOf(line);
    if (depth === 0) return [];
    const length = lines
      .slice(start + 1)
      .findIndex((next) => depthOf(next) > 0 && depthOf(next) <= depth);
    const end = length === -1 ? lines.length : start + 1 + length;
    const title = line.replace(/^#+ /u, '');
    return [{ name: nameOf(title), title, text: lines.slice(start, end).join('\n').trim() }];
  });
};

/** Removes the marks of Markdown from a text, for a terminal. */
const plain = (text: string): string =>
  text
    .replaceAll(/^#+ (.*)$/gmu, (_line, title: string) => title.toUpperCase())
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/gu, '$1')
    .replaceAll(/^```\w*\n/gmu, '')
    .replaceAll(/\*\*([^*]+)\*\*/gu, '$1');

const sectionOf = (page: string, name: string): string => {
  const sections = sectionsOf(pages[page] ?? '');
  const found = sections.find((section) => section.name === name);
  if (found !== undefined) return plain(found.text);
  const names = sections.slice(1).map((section) => section.name);
  throw new CliError(
    `there is no topic "${page} ${name}"`,
    exitCodes.usage,
    `There are: ${names.join(', ')}.`,
  );
};

const runbookPrefix = 'runbook/';

const runbooks = (): string[] =>
  Object.keys(pages)
    .filter((name) => name.startsWith(runbookPrefix) && name !== `${runbookPrefix}README`)
    .map((name) => name.slice(runbookPrefix.length));

const runbook = (name: string): string => {
  const page = pages[`${runbookPrefix}${name}`];
  if (page !== undefined) return plain(page.trim());
  throw new CliError(
    `there is no runbook "${name}"`,
    exitCodes.usage,
    `There are: ${runbooks().join(', ')}.`,
  );
};

const ownPage = 'goldctl';

/** Returns the names of the topics that `goldctl help` explains, in addition to the commands. */
export const topicNames = (): string[] => [
  'checks',
  ...sectionsOf(pages[ownPage] ?? '')
    .slice(1)
    .map(({ name }) => name),
  'runbook',
];

/**
 * Returns the text of a topic. A topic is a part of goldctl's page, the checks, one check, the list of
 * runbooks or one runbook. Returns undefined if the words name none.
 * @throws CliError usage if there is no such check or runbook.
 */
export const topicText = (words: readonly string[]): string | undefined => {
  const [topic = '', name, ...rest] = words;
  if (rest.length > 0) return undefined;
  if (topic === 'checks') {
    return name === undefined ? plain((pages['checks'] ?? '').trim()) : sectionOf('checks', name);
  }
  if (topic === 'runbook') {
    return name === undefined ? `Runbooks:\n  ${runbooks().join('\n  ')}` : runbook(name);
  }
  const own = topicNames();
  if (topic === 'topics') return `Topics:\n  ${own.join('\n  ')}`;
  return name === undefined && own.includes(topic) ? sectionOf(ownPage, topic) : undefined;
};
