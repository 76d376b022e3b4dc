import { performance } from 'node:perf_hooks';
import type { Fetched, FetchLimits } from './fetch-each.ts';

/**
 * Reads a collaborator's list page by page, and keeps no page. Returns the reason why the list was
 * not read to its end, or undefined if it was.
 */
export const readPages = async (
  { withinMs, listWithinMs = withinMs, rest = 'choose a shorter window' }: FetchLimits,
  readPage: (page: number) => Promise<Fetched<{ readonly hasMore: boolean }>>,
): Promise<string | undefined> => {
  const endsAt = performance.now() + listWithinMs;
  for (let page = 1; ; page += 1) {
    const read = await readPage(page);
    if (typeof read === 'string') return read;
    if (!read.answer.hasMore) return undefined;
    if (performance.now() > endsAt) return `read ${page} pages of a longer list: ${rest}`;
  }
};
