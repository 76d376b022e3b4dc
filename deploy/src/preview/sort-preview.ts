/**
 * Matches the first line of a resource in Pulumi's detailed text, such as ` ~ kubernetes:…:
 * (update)`.
 */
const beginsResource = /^ +(?:\S{1,2} )?[^\s:]+:\S*: \([a-z-]+\)/u;

/**
 * Matches the random end of the name of a Secret of the stack. Each preview draws another end for a
 * Secret that would be created.
 */
const randomSuffix =
  /(?<="digital-gold-(?:customer|admin|accounting|worker|migrations)-)[0-9a-f]{7,8}(?=")/gu;

/**
 * Matches lines that only report progress. Their number depends on the time that the preview takes.
 */
const progressLine = /^(?:@ |Loading policy packs)/u;

const urnOf = (lines: readonly string[]): string =>
  lines.find((line) => line.includes('[urn='))?.trim() ?? '';

/**
 * Sorts the resources of a detailed preview by their URNs, and replaces random texts. Pulumi prints
 * the resources in another order each time, so two previews could not be compared.
 */
export const sortPreview = (text: string): string => {
  const before: string[] = [];
  const resources: string[][] = [];
  const after: string[] = [];
  for (const line of text.replaceAll(randomSuffix, '*').split('\n')) {
    if (progressLine.test(line)) continue;
    if (after.length > 0 || (resources.length > 0 && /^\S/u.test(line))) after.push(line);
    else if (beginsResource.test(line)) resources.push([line]);
    else (resources.at(-1) ?? before).push(line);
  }
  const sorted = resources.toSorted((one, other) =>
    urnOf(one) < urnOf(other) ? -1 : Number(urnOf(one) > urnOf(other)),
  );
  return [...before, ...sorted.flat(), ...after].join('\n');
};
