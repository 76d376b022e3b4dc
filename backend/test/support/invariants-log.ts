/** Forms of values that must never be in a log (contract: money > Invariants). */
const forms: Readonly<Record<string, RegExp>> = {
  'a phone number': /(?<!\w)(?:\+?91)[6-9]\d{9}(?!\w)/gu,
  'a PAN': /\b[A-Z]{5}\d{4}[A-Z]\b/gu,
  'a token': /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/gu,
  'an Aadhaar number': /(?<![\w.+-])[2-9]\d{3}\s?\d{4}\s?\d{4}(?![\w-])/gu,
};

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};

/**
 * Lines of a process's log that are no JSON. What is behind the last end of a line is none: the
 * process may have been killed.
 */
export const findUnreadable = (log: string): string[] =>
  log
    .split('\n')
    .slice(0, -1)
    .filter((line) => !isJson(line));

/**
 * An id is random: one in a hundred thousand ends in what looks like a phone number, and one in a
 * million has the digits of a code.
 */
const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu;

/**
 * Lines of a process's log that hold personal data or a secret: what has the form of one, and the
 * values that the test knows. Answers each with the line.
 */
export const findLeaks = (log: string, known: Iterable<string> = []): string[] => {
  const values = [...known].filter((value) => value.length >= 4);
  return log.split('\n').flatMap((line) => {
    const withoutIds = line.replace(ids, '');
    const byForm = Object.entries(forms)
      .filter(([, form]) => withoutIds.search(form) >= 0)
      .map(([name]) => name);
    const byValue = values
      .filter((value) => withoutIds.includes(value))
      .map((value) => `"${value}"`);
    const found = [...byForm, ...byValue];
    return found.length === 0 ? [] : [`${found.join(', ')}: ${line}`];
  });
};
