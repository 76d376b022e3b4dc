import { readTally, sumTally } from './tally.ts';

/* Prints what the file TALLY of `make simulate` comes to. */

const file = process.env['TALLY'] ?? '';
process.stdout.write(`${sumTally(readTally(file)).join('\n')}\n`);
