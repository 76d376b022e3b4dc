import { pages } from '../help/pages.ts';

/** A variable, as described by the page of the configuration. */
export interface DescribedVariable {
  readonly name: string;
  readonly isSecret: boolean;
  /** The default. Undefined if the variable has none. */
  readonly standard: string | undefined;
  readonly isRequired: boolean;
  readonly about: string;
}

const row =
  /^\| `(?<name>[A-Z][A-Z0-9_]*)`(?<secret> \(secret\))? \| (?<standard>.*?) \| (?<about>.*) \|$/u;
const readers = /^Read by: (?<names>.*)\.$/u;
const processes = ['customer', 'admin', 'accounting', 'worker', 'operator', 'migrate', 'sandbox'];

const readersIn = (line: string): string[] | undefined => {
  const names = readers.exec(line)?.groups?.['names'];
  if (names === undefined) return undefined;
  const words = new Set(names.split(/[^a-z]+/u));
  return processes.filter((process) => words.has(process));
};

/**
 * Returns the variables that a process reads, or all variables, in the order of the page. If several
 * parts of the page have the same variable, the first part that the process reads counts.
 */
export const describedVariables = (process?: string): DescribedVariable[] => {
  const found = new Map<string, DescribedVariable>();
  let readBy: readonly string[] = [];
  for (const line of (pages['configuration'] ?? '').split('\n')) {
    readBy = readersIn(line) ?? readBy;
    const { name, secret, standard = '', about = '' } = row.exec(line)?.groups ?? {};
    const isRead = process === undefined || readBy.includes(process);
    if (name === undefined || !isRead || found.has(name)) continue;
    found.set(name, {
      name,
      isSecret: secret !== undefined,
      standard: /^`(.*)`$/u.exec(standard)?.[1],
      isRequired: standard === 'required',
      about: about.replaceAll('`', ''),
    });
  }
  return [...found.values()];
};
