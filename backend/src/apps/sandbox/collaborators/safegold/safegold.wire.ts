import { formatDecimal, parseDecimal } from '../../../../money/index.ts';
import { addMs } from '../../../../platform/clock/clock.ts';
import { textOf, type Answer } from '../../core/collaborator.ts';
import { jsonDecimal } from '../../core/wire-json.ts';

/** Writes rupees as a JSON number with two decimals. */
export const rupees = (paise: bigint) => jsonDecimal(formatDecimal(paise, 2));

/** Writes a weight in 0.0001 g as a JSON number of grams with four decimals. */
export const gramsNumber = (weight: bigint) => jsonDecimal(formatDecimal(weight, 4));

const readDecimal = (value: unknown, decimals: number): bigint | undefined => {
  const text = textOf(value);
  const parsed = text === undefined ? undefined : parseDecimal(text, decimals);
  return parsed === undefined || parsed <= 0n ? undefined : parsed;
};

/** Reads rupees above zero, a JSON number or text, as paise. */
export const readRupees = (value: unknown): bigint | undefined => readDecimal(value, 2);

/** Reads grams above zero, a JSON number or text, as a weight in 0.0001 g. */
export const readGrams = (value: unknown): bigint | undefined => readDecimal(value, 4);

const istOffsetMs = 330 * 60_000;

/** Writes a time in SafeGold's form: `YYYY-MM-DD HH:MM:SS` in IST. */
export const timeText = (date: Date): string =>
  addMs(date, istOffsetMs).toISOString().slice(0, 19).replace('T', ' ');

/** Returns SafeGold's refusal: HTTP 400 with a code whose meaning depends on the endpoint. */
export const refusal = (code: number, message: string): Answer => ({
  status: 400,
  body: { code, message },
});

/** Reports a failed confirm as SafeGold does: HTTP 200 with a blank body. */
export const blankAnswer: Answer = { status: 200 };
