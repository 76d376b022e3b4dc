import type { AnswerShape, LeftOutForm } from './answer-shape.ts';
import { fieldsOf } from './collaborator.ts';
import { rowsIn } from './odd-rows.ts';

type Row = Readonly<Record<string, unknown>>;

const leaveOutOne = (row: Row, name: string, form: LeftOutForm): Row => {
  const [first = '', ...deeper] = name.split('.');
  if (!Object.hasOwn(row, first)) return row;
  if (deeper.length > 0) {
    return { ...row, [first]: leaveOutOne(fieldsOf(row[first]), deeper.join('.'), form) };
  }
  if (form !== 'absent') return { ...row, [first]: form === 'null' ? null : '' };
  return Object.fromEntries(Object.entries(row).filter(([key]) => key !== first));
};

/** Returns an object without the named fields, or a list whose rows lack these fields. */
export const leaveOut = (
  body: unknown,
  names: readonly string[],
  form: LeftOutForm = 'absent',
): unknown => {
  const strip = (row: unknown): unknown =>
    names.reduce((stripped, name) => leaveOutOne(stripped, name, form), fieldsOf(row));
  const list = rowsIn(body);
  return list === undefined ? strip(body) : list.replace(list.rows.map(strip));
};

/** Returns a response in an undocumented state, or a list whose rows are all in that state. */
export const inOddState = (body: unknown, { state }: AnswerShape): unknown => {
  if (state === undefined) return body;
  const change = (row: unknown): unknown => ({ ...fieldsOf(row), [state]: 'on_the_moon' });
  const list = rowsIn(body);
  return list === undefined ? change(body) : list.replace(list.rows.map(change));
};

/** Returns a list whose last row has no figure, so that it can't be read. */
export const withUnreadableRow = (body: unknown, { figure }: AnswerShape): unknown => {
  const list = rowsIn(body);
  if (list === undefined || figure === undefined) return body;
  const last = list.rows.length - 1;
  return list.replace(
    list.rows.map((row, index) => (index === last ? { ...fieldsOf(row), [figure]: null } : row)),
  );
};

/**
 * Returns true for a customer whose optional fields vendors leave out. The phone number decides.
 */
export const isSparseCustomer = (phone: unknown): boolean =>
  (typeof phone === 'string' || typeof phone === 'number') && String(phone).endsWith('55');
