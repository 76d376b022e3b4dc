import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const operatorRoles = ['SUPER_ADMIN', 'ADMIN', 'SUPPORT'] as const;

/** A row of the contract's table, for some methods and paths. */
interface RouteRow {
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly roles: string;
}

const page = join(import.meta.dirname, '..', '..', 'docs', 'contract', 'operators.md');

/** Reads the table of operator routes (contract: operators > Operator routes). */
export const readRouteTable = async (): Promise<readonly RouteRow[]> => {
  const text = await readFile(page, 'utf8');
  const [, section = ''] = text.split('## Operator routes');
  const [table = ''] = section.split('\n## ');
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [, methods = '', paths = '', roles = ''] = line.split('|').map((cell) => cell.trim());
      return {
        methods: methods.split(', '),
        paths: [...paths.matchAll(/`([^`]+)`/gu)].map(([, path = '']) => path),
        roles,
      };
    });
};

const rolesIn = (text: string): readonly string[] =>
  text === 'all'
    ? operatorRoles
    : operatorRoles.filter((role) => text.split(/\W+/u).includes(role));

/**
 * Returns the roles that the table admits to a route, or undefined if the table lacks the route.
 */
export const rolesOf = (
  table: readonly RouteRow[],
  method: string,
  path: string,
): readonly string[] | undefined => {
  const row = table.find(
    ({ methods, paths }) =>
      methods.includes(method) &&
      paths.some((each) =>
        each.endsWith('/...') ? path.startsWith(each.slice(0, -3)) : each === path,
      ),
  );
  if (row === undefined) return undefined;
  const [read = '', write] = row.roles.split(';');
  return rolesIn(method === 'GET' || write === undefined ? read : write);
};
