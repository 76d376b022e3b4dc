import { afterEach, describe, expect, it } from 'vitest';
import { renderTable } from './output.ts';
import { setScreen, paint, screen } from './screen.ts';

afterEach(() => {
  screen.columns = undefined;
  screen.hasColour = false;
});

const id = '019a8c7e-0000-7000-8000-000000000001';
const rows = [
  [id, 'the provider answers with an amount that is not the one of the quote', '₹1.00'],
];
const table = (columns: number | undefined): string => {
  screen.columns = columns;
  return renderTable(['orderId', 'reason', 'amountPaise'], rows);
};
const widest = (text: string): number =>
  Math.max(...text.split('\n').map((line) => Array.from(line).length));

describe('a table', () => {
  it('has its headings in words', () => {
    expect(table(undefined).split('\n')[0]).toMatch(/^ORDER ID +REASON +AMOUNT$/u);
  });

  it.each([40, 80, 200])('fits %i columns, with every id and amount whole', (columns) => {
    const text = table(columns);
    expect(widest(text)).toBeLessThanOrEqual(columns);
    expect(text).toContain(id);
    expect(text).toContain('₹1.00');
  });

  it('is one line a row for a file or a program', () => {
    expect(table(undefined).split('\n')).toHaveLength(2);
  });
});

describe('colour', () => {
  it.each([
    ['on a terminal', { isTTY: true }, {}, true],
    ['not with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['not on a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
    ['not into a file', {}, {}, false],
    ['where it is forced', {}, { FORCE_COLOR: '1' }, true],
  ])('is %s', (_name, stdout, env, isThere) => {
    setScreen(stdout, env);
    expect(paint('red', 'x')).toBe(isThere ? '\u001b[31mx\u001b[0m' : 'x');
  });
});
