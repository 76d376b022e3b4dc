import { InvalidArgumentError, type Command } from 'commander';

/** The requested page of a list. */
export interface Paging {
  readonly page: number;
  readonly limit: number;
}

const maxRows = 100;

const parseUpTo =
  (maximum: number) =>
  (text: string): number => {
    const number = /^\d{1,6}$/u.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number, 1 to ${maximum}.`);
  };

/** Adds `--page` and `--limit`. */
export const withPaging = (command: Command): Command =>
  command
    .option('--page <number>', 'the page', parseUpTo(999_999), 1)
    .option('--limit <rows>', `rows of a page, ${maxRows} at most`, parseUpTo(maxRows), 20);
