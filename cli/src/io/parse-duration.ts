import { InvalidArgumentError } from 'commander';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
const form = /^(?<count>\d{1,6})(?<unit>ms|s|m|h)$/u;
const maxMs = 24 * units.h;

const isUnit = (unit: string): unit is keyof typeof units => Object.hasOwn(units, unit);

/**
 * Parses a duration such as `90s`, `5m` or `1h`, of at most a day. Returns milliseconds.
 * @throws InvalidArgumentError for any other text
 */
export const parseDuration = (text: string): number => {
  const { count = '', unit = '' } = form.exec(text)?.groups ?? {};
  const ms = isUnit(unit) ? Number(count) * units[unit] : 0;
  if (ms > 0 && ms <= maxMs) return ms;
  throw new InvalidArgumentError('It must be a duration such as 90s, 5m or 1h; 24h at most.');
};
