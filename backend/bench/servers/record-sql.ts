import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * This is loaded into a process before its program. It writes every statement that the PostgreSQL
 * driver gets to the file `RECORD_SQL`, as one line of JSON each.
 */
interface Query {
  readonly text?: string;
  readonly values?: readonly unknown[];
}
interface Driver {
  readonly Client: { prototype: { query: (...args: unknown[]) => unknown } };
}

const file = process.env['RECORD_SQL'] ?? '';
const driver = createRequire(import.meta.url)('pg') as Driver; // the driver of the service's client
const { prototype } = driver.Client;
const send = prototype.query;
let connections = 0;
const numbers = new WeakMap<object, number>();

const connectionOf = (client: object): number => {
  const known = numbers.get(client);
  if (known !== undefined) return known;
  connections += 1;
  numbers.set(client, connections);
  return connections;
};

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;

const queryOf = (args: readonly unknown[]): Query => {
  const [first, second] = args;
  const values = Array.isArray(second) ? { values: second } : {};
  if (typeof first === 'string') return { text: first, ...values };
  return typeof first === 'object' && first !== null ? { ...first, ...values } : {};
};

prototype.query = function record(this: object, ...args: unknown[]): unknown {
  const { text = '', values = [] } = queryOf(args);
  const line = { connection: connectionOf(this), text, values };
  appendFileSync(file, `${JSON.stringify(line, plain)}\n`);
  return send.apply(this, args);
};
