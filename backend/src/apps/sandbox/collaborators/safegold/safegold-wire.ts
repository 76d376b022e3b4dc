import { formatDecimal, parseDecimal } from '../../../../money/index.ts';
import { addMs } from '../../../../platform/clock/clock.ts';
import { textOf, type Answer } from '../../core/collaborator.ts';
import { jsonDecimal } from '../../core/wire-json.ts';

/** Rupees as a JSON number with two decimals. */
export const rupees = (paise: bigint) => jsonDecimal(formatDecimal(paise, 2));

/** Grams as a JSON number with four decimals, of a weight in 0.0001 g. */
export const gramsNumber = (weight: bigint) => jsonDecimal(formatDecimal(weight, 4));

const readDecimal = (value: unknown, decimals: number): bigint | undefined => {
  const text = textOf(value);
  const parsed = text === undefined ? undefined : parseDecimal(text, decimals);
  return parsed === undefined || parsed <= 0n ? undefined : parsed;
};

/** Paise of a rupee figure above zero, a JSON number or text. */
export const readRupees = (value: unknown): bigint | undefined => readDecimal(value, 2);

/** Weight in 0.0001 g of a figure above zero, a JSON number or text. */
export const readGrams = (value: unknown): bigint | undefined => readDecimal(value, 4);

const istOffsetMs = 330 * 60_000;

/** `YYYY-MM-DD HH:MM:SS` in IST, SafeGold's form of a time. */
export const timeText = (at: Date): string =>
  addMs(at, istOffsetMs).toISOString().slice(0, 19).replace('T', ' ');

/** SafeGold's refusal: HTTP 400 with a code that means something per endpoint. */
export const refusal = (code: number, message: string): Answer => ({
  status: 400,
  body: { code, message },
});

/** SafeGold's failed confirm: HTTP 200 with a blank body. */
export const blankAnswer: Answer = { status: 200 };
