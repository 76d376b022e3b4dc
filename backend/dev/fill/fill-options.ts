import { addMs } from '../../src/platform/clock/clock.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Days before now on which filled books end: before the longest window of a reconciliation report,
 * since the collaborators do not know the filled books.
 */
const endsBeforeDays = 31;

interface FillOptions {
  readonly orders: number;
  readonly users: number;
  /** The length of the books. */
  readonly days: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const readCount = (env: Environment, name: string, otherwise: number): number => {
  const text = env[name] ?? '';
  if (text === '') return otherwise;
  if (!/^[1-9][0-9]{0,7}$/u.test(text)) throw new Error(`${name} must be a whole number above 0`);
  return Number(text);
};

/**
 * Reads ORDERS, USERS (a fifth of the orders unless given) and DAYS (two years unless given).
 * @throws Error of one line that says what is wrong, and always if APP_MODE is production
 */
export const readFillOptions = (env: Environment): FillOptions => {
  if (env['APP_MODE'] === 'production') {
    throw new Error('APP_MODE: made-up books are refused in production');
  }
  const orders = readCount(env, 'ORDERS', 100_000);
  const users = readCount(env, 'USERS', Math.max(10, Math.ceil(orders / 5)));
  return { orders, users, days: readCount(env, 'DAYS', 730) };
};

/** Returns the moments between which the books lie. */
export const spanBefore = (now: Date, { days }: Pick<FillOptions, 'days'>) => {
  const to = addMs(now, -endsBeforeDays * dayMs);
  return { from: addMs(to, -days * dayMs), to };
};
