import { readTally, sumTally } from './tally.ts';

/* Prints a summary of the file TALLY of `make simulate`. */

const file = process.env['TALLY'] ?? '';
process.stdout.write(`${sumTally(readTally(file)).join('\n')}\n`);
