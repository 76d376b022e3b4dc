import { formatDecimal, parseDecimal } from '../../../../money/index.ts';
import type { Operation } from '../../core/collaborator.ts';
import { jsonDecimal } from '../../core/wire-json.ts';

/** The fault `wrong_amount` for a decimal field: answered larger by one in its last place. */
export const moreBy =
  (field: string, decimals: number): NonNullable<Operation['misstate']> =>
  (body) => {
    const value = parseDecimal(String(body[field]), decimals);
    if (value === undefined) return body;
    return { ...body, [field]: jsonDecimal(formatDecimal(value + 1n, decimals)) };
  };
