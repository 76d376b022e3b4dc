import { readStatements, recordedBytes, type BuyNames, type Statement } from './sql-script.ts';

export interface RecordedBuy {
  readonly statements: readonly Statement[];
  readonly names: BuyNames;
}

const textOf = (statements: readonly Statement[]): string =>
  statements.map(({ text }) => text).join('\n');

/**
 * The statements of one buy: of two buys one after the other that sent the same, so that nothing
 * else of the process (a look that is repeated now and then) is among them.
 */
export const recordBuy = async (
  file: string,
  buyOnce: () => Promise<BuyNames>,
): Promise<RecordedBuy> => {
  let previous = '';
  for (let tries = 0; tries < 30; tries += 1) {
    const from = recordedBytes(file);
    const names = await buyOnce();
    const statements = readStatements(file, from);
    if (textOf(statements) === previous) return { statements, names };
    previous = textOf(statements);
  }
  throw new Error('no two buys in a row sent the same statements');
};
