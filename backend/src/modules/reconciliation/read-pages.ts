import { performance } from 'node:perf_hooks';
import type { Fetched, FetchLimits } from './fetch-each.ts';

/**
 * Calls `readPage` for each page of a collaborator's list. Returns the reason why the list was not
 * read to its end, or undefined if it was.
 */
export const readPages = async (
  { withinMs, listWithinMs = withinMs, restAdvice = 'choose a shorter window' }: FetchLimits,
  readPage: (page: number) => Promise<Fetched<{ readonly hasMore: boolean }>>,
): Promise<string | undefined> => {
  const endsAt = performance.now() + listWithinMs;
  for (let page = 1; ; page += 1) {
    const fetched = await readPage(page);
    if (typeof fetched === 'string') return fetched;
    if (!fetched.answer.hasMore) return undefined;
    if (performance.now() > endsAt) return `read ${page} pages of a longer list: ${restAdvice}`;
  }
};
