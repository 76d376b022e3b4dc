/** The first line of a resource in Pulumi's detailed text, such as `    ~ kubernetes:…: (update)`. */
const beginsResource = /^ +(?:\S{1,2} )?[^\s:]+:\S*: \([a-z-]+\)/u;

/** The name of a Secret of the stack: each preview draws another end for one that would be made. */
const drawnName =
  /(?<="digital-gold-(?:customer|admin|accounting|worker|migrations)-)[0-9a-f]{7,8}(?=")/gu;

/** Reports repeatedly that work is in progress, for as long as it takes. */
const saysProgress = /^(?:@ |Loading policy packs)/u;

const urnOf = (lines: readonly string[]): string =>
  lines.find((line) => line.includes('[urn='))?.trim() ?? '';

/**
 * Puts the resources of a detailed preview into the order of their URNs, and leaves out what is drawn
 * by lot. Pulumi prints them as they come, which is another order each time, and two previews could
 * not be compared.
 */
export const sortPreview = (text: string): string => {
  const before: string[] = [];
  const resources: string[][] = [];
  const after: string[] = [];
  for (const line of text.replaceAll(drawnName, '*').split('\n')) {
    if (saysProgress.test(line)) continue;
    if (after.length > 0 || (resources.length > 0 && /^\S/u.test(line))) after.push(line);
    else if (beginsResource.test(line)) resources.push([line]);
    else (resources.at(-1) ?? before).push(line);
  }
  const sorted = resources.toSorted((one, other) =>
    urnOf(one) < urnOf(other) ? -1 : Number(urnOf(one) > urnOf(other)),
  );
  return [...before, ...sorted.flat(), ...after].join('\n');
};
