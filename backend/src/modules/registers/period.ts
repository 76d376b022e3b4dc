import { endOfIstDate, startOfIstDate } from '../../platform/clock/ist.ts';
import type { Window } from './registers.types.ts';

/** IST dates (`YYYY-MM-DD`), both included; open where one is missing. */
export interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the moments that a period of IST dates begins and ends at. */
export const windowOf = ({ from, to }: Period): Window => ({
  from: from === undefined ? undefined : startOfIstDate(from),
  until: to === undefined ? undefined : endOfIstDate(to),
});
