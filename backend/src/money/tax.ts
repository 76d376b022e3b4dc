import { WHOLE_BPS, type Bps } from './bps.ts';
import { paise, subtractPaise, type Paise } from './paise.ts';
import { divideFloor, divideHalfUp } from './rounding.ts';

/** Returns the part of a tax-inclusive total before tax, half-up; the rest is the tax. */
export const valueWithoutTax = (totalPaise: Paise, rateBps: Bps): Paise =>
  paise(divideHalfUp(totalPaise * WHOLE_BPS, WHOLE_BPS + rateBps));

/** Computes the tax on a value, half-up. */
export const taxOn = (valuePaise: Paise, rateBps: Bps): Paise =>
  paise(divideHalfUp(valuePaise * rateBps, WHOLE_BPS));

/** Splits GST as it is shown: CGST is the lower half, SGST the rest. */
export const splitGst = (
  gstPaise: Paise,
): { readonly cgstPaise: Paise; readonly sgstPaise: Paise } => {
  const cgstPaise = paise(divideFloor(gstPaise, 2n));
  return { cgstPaise, sgstPaise: subtractPaise(gstPaise, cgstPaise) };
};
