type Value = string | number | boolean | null | undefined;

/** Matches the beginning of a cell that a spreadsheet would run as a formula. */
const formula = /^[=+\-@\t\r]/u;

const cellOf = (value: Value): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Writes rows as CSV of RFC 4180, with the names of all their fields in the first line. */
export const toCsv = (rows: readonly Readonly<Record<string, Value>>[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => cellOf(row[name])).join(','));
  return [names.map(cellOf).join(','), ...lines].map((line) => `${line}\r\n`).join('');
};
