import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

const statementSchema = z.object({
  connection: z.number(),
  text: z.string(),
  values: z.array(z.unknown()),
});

export type Statement = z.output<typeof statementSchema>;

/** Returns the size of the recording so far, to pass to `readStatements`. */
export const recordedBytes = (file: string): number => statSync(file).size;

/** Reads the statements that were recorded after `from`, in order. */
export const readStatements = (file: string, from: number): Statement[] => {
  const lines = readFileSync(file).subarray(from).toString('utf8').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => statementSchema.parse(JSON.parse(line)));
};

/** The inputs and the created ids of one buy order, which differ from one order to the next. */
export interface BuyNames {
  readonly userId: string;
  readonly phone: string;
  readonly key: string;
  readonly requestId: string;
  readonly providerTxId: string;
  readonly gatewayOrderId: string;
}

const uuidPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;

/**
 * Turns a recorded buy into a script for another buy. Its names are replaced by `names`. Each id
 * that the buy created becomes a new id, which is the same wherever the old id occurs.
 */
export const scriptFor =
  (statements: readonly Statement[], recorded: BuyNames) =>
  (names: BuyNames, makeId: () => string): Statement[] => {
    const renamed = new Map<string, string>();
    for (const name of Object.keys(recorded) as (keyof BuyNames)[]) {
      // `recorded` has only these keys
      renamed.set(recorded[name], names[name]);
    }
    const idFor = (id: string): string => {
      const known = renamed.get(id);
      if (known !== undefined) return known;
      const made = makeId();
      renamed.set(id, made);
      return made;
    };
    const rename = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(rename);
      if (typeof value !== 'string') return value;
      return renamed.get(value) ?? value.replaceAll(uuidPattern, idFor);
    };
    return statements.map(({ values, ...rest }) => ({ ...rest, values: values.map(rename) }));
  };
