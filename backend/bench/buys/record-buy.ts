import { readStatements, recordedBytes, type BuyNames, type Statement } from './sql-script.ts';

export interface RecordedBuy {
  readonly statements: readonly Statement[];
  readonly names: BuyNames;
}

const textOf = (statements: readonly Statement[]): string =>
  statements.map(({ text }) => text).join('\n');

/**
 * Records the statements of one buy. It repeats the buy until two in a row sent the same
 * statements, so that no other statement of the process, such as a periodic query, is among them.
 */
export const recordBuy = async (
  file: string,
  buy: () => Promise<BuyNames>,
): Promise<RecordedBuy> => {
  let previous = '';
  for (let tries = 0; tries < 30; tries += 1) {
    const from = recordedBytes(file);
    const names = await buy();
    const statements = readStatements(file, from);
    if (textOf(statements) === previous) return { statements, names };
    previous = textOf(statements);
  }
  throw new Error('no two buys in a row sent the same statements');
};
