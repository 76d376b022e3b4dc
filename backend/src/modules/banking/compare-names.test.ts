import { describe, expect, it } from 'vitest';
import { compareNames } from './compare-names.ts';

describe('names of the same person', () => {
  it.each([
    ['Asha Rao', 'ASHA RAO', 100],
    ['Asha Rao', 'RAO ASHA', 100],
    ['Asha Rao', 'Mrs. ASHA  RAO', 100],
    ['Asha Rao', 'ASHARAO', 100],
    ['José Núñez', 'JOSE NUNEZ', 100],
    ['Asha Rao', 'A RAO', 90],
    ['Anil Verma', 'ANIL VARMA', 90],
    ['Asha Rao', 'ASHA DEVI RAO', 80],
    ["Siobhan O'Brien", 'SIOBHAN O BRIEN', 100],
    ['Kumari', 'KUMARI', 100],
  ])('%s and %s', (one, other, score) => {
    const expected = BigInt(score);
    expect([compareNames(one, other), compareNames(other, one)]).toEqual([expected, expected]);
  });
});

describe('names of different persons', () => {
  it.each([
    ['Asha Rao', 'VIKRAM SINGH', 0],
    ['Asha Rao', 'VIKRAM RAO', 50],
    ['Asha Rao', 'ASHA', 67],
    ['Asha Rao', 'आशा राव', 0],
    ['Asha Rao', '', 0],
    ['Asha Rao', '...', 0],
    ['Asha Rao', 'ASHA ASHA ASHA', 40],
  ])('%s and %s', (one, other, score) => {
    const expected = BigInt(score);
    expect([compareNames(one, other), compareNames(other, one)]).toEqual([expected, expected]);
  });
});
