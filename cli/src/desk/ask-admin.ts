import type { AdminClient, AdminSchemas, Answer } from '@digital-gold/client';
import type { Command } from 'commander';
import { z } from 'zod';
import type { CliDeps } from '../cli-deps.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../clients/connect-admin.ts';
import { globalOptionsOf } from '../global-options.ts';
import { printResult, renderPairs, renderTable } from '../io/output.ts';

/** Sends a request to the admin API of the command's context. */
export const askAdmin = <Form extends z.ZodType>(
  deps: CliDeps,
  command: Command,
  form: Form,
  send: (client: AdminClient) => Promise<Answer<z.input<Form> | AdminSchemas['Approval']>>,
): Promise<z.output<Form>> =>
  withAdmin(deps, globalOptionsOf(command), ({ api }) => api(form, send));

/** Prints an object, as pairs for people or as JSON. */
export const printOne = (
  deps: CliDeps,
  command: Command,
  data: object,
  pairs: readonly (readonly [string, string])[],
): void => {
  printResult(deps, globalOptionsOf(command).output, { data, text: renderPairs(pairs) });
};

/** A page of rows as the admin API returns it. */
export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.looseObject({ items: z.array(row), total: z.int(), page: z.int(), limit: z.int() });

interface Page<Row> {
  readonly items: readonly Row[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

/** The columns of a list, each with its heading and the text for a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

const lastLine = <Row>({ items, total, page, limit }: Page<Row>): string[] => {
  const pages = Math.max(1, Math.ceil(total / limit));
  return items.length === total
    ? []
    : [`page ${page} of ${pages}, ${total} in all (--page, --limit)`];
};

/** Prints a page of rows. Prints `none` if there are no rows. */
const printPage = <Row>(
  deps: CliDeps,
  command: Command,
  page: Page<Row>,
  view: { readonly columns: Columns<Row>; readonly none: string },
): void => {
  const rows = page.items.map((row) => Object.values(view.columns).map((show) => show(row)));
  const table = rows.length === 0 ? view.none : renderTable(Object.keys(view.columns), rows);
  const text = [table, ...lastLine(page)].join('\n\n');
  printResult(deps, globalOptionsOf(command).output, { data: page, text });
};

/** Prints a row of a list by the columns of the list, with further pairs. */
export const printRow = <Row extends object>(
  deps: CliDeps,
  command: Command,
  row: Row,
  {
    columns,
    more = [],
  }: {
    readonly columns: Columns<Row>;
    readonly more?: readonly (readonly [string, string])[];
  },
): void => {
  const pairs = Object.entries(columns).map(([name, show]) => [name, show(row)] as const);
  printOne(deps, command, row, [...pairs, ...more]);
};

/** Requests a page of rows and prints it. Prints `none` if there are no rows. */
export const listRows = async <Row, Form extends z.ZodType<Page<Row>>>(
  deps: CliDeps,
  command: Command,
  form: Form,
  view: {
    readonly send: (client: AdminClient) => Promise<Answer<z.input<Form>>>;
    readonly columns: Columns<Row>;
    readonly none: string;
  },
): Promise<void> => {
  const found: Page<Row> = await askAdmin(deps, command, form, view.send);
  printPage(deps, command, found, view);
};

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Returns the members of an object that are not undefined, as a query requires. */
export const given = <T extends object>(members: T): Given<T> => {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Given<T>; // without the undefined members
};

/**
 * Prompts for a confirmation, unless `yes` is true.
 * @throws CliError failed if the operator does not confirm
 */
export const confirmed = async (
  deps: CliDeps,
  question: string,
  yes: boolean | undefined,
): Promise<void> => {
  if (yes === true || (await deps.confirm(question))) return;
  throw new CliError('nothing was changed', exitCodes.failed);
};
