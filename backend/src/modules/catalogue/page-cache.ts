import { batchReads, type Db } from '../../platform/db/index.ts';
import type { Reply } from '../../platform/http/index.ts';
import { findCatalogueVersion } from './catalogue.store.ts';
import type { ProductRates } from './catalogue.types.ts';

type WritePage = (rates: ProductRates) => Promise<Reply | undefined>;

export interface PageCache {
  /**
   * Returns the reply of `key`, which `write` makes once for each state of the catalogue and the
   * rates. Returns undefined if `write` does, and does not cache that.
   */
  reply(key: string, write: WritePage): Promise<Reply | undefined>;
}

interface Page {
  readonly reply: Promise<Reply | undefined>;
  /** Zero until the reply is made. */
  bytes: number;
}

/** The pages of one state of the catalogue and the rates. */
interface Edition {
  readonly name: string;
  readonly rates: ProductRates;
  readonly pages: Map<string, Page>;
  bytes: number;
}

/** Limits the size of a replica's cache. The least recently used pages are dropped first. */
const defaultMaxBytes = 16 * 1024 * 1024;

/**
 * Creates the cache of the catalogue's pages. Every request reads the version of the catalogue,
 * which each change raises in its own transaction. So no request gets an older page than the
 * catalogue at its time. Concurrent requests share one read of the version.
 */
export const createPageCache = ({
  db,
  readRates,
  maxBytes = defaultMaxBytes,
}: {
  readonly db: Db;
  readonly readRates: () => Promise<ProductRates>;
  readonly maxBytes?: number;
}): PageCache => {
  let current: Edition | undefined;

  /** Reads the version before any page, so that a page is at least as new as its edition's name. */
  const readEdition = batchReads(async (): Promise<Edition> => {
    const [version, rates] = await Promise.all([findCatalogueVersion(db), readRates()]);
    const name = `${version} ${rates.gstBps} ${rates.rate24KPaise ?? '-'}`;
    if (current?.name !== name) current = { name, rates, pages: new Map(), bytes: 0 };
    return current;
  });

  /** Counts the bytes of a new page, and drops the least recently used pages beyond the limit. */
  const countPage = (edition: Edition, key: string, page: Page, bytes: number): void => {
    if (edition.pages.get(key) !== page) return;
    page.bytes = 2 * key.length + bytes;
    edition.bytes += page.bytes;
    for (const [oldestKey, oldest] of edition.pages) {
      if (edition.bytes <= maxBytes) return;
      // A page without bytes is still being made.
      if (oldest.bytes === 0) continue;
      edition.pages.delete(oldestKey);
      edition.bytes -= oldest.bytes;
    }
  };

  const makePage = async (
    edition: Edition,
    key: string,
    write: WritePage,
  ): Promise<Reply | undefined> => {
    const page: Page = { reply: write(edition.rates), bytes: 0 };
    edition.pages.set(key, page);
    try {
      const reply = await page.reply;
      if (reply === undefined) edition.pages.delete(key);
      else countPage(edition, key, page, reply.bytes?.length ?? 0);
      return reply;
    } catch (error) {
      // The next request makes the page again.
      edition.pages.delete(key);
      throw error;
    }
  };

  return {
    async reply(key, write) {
      const edition = await readEdition();
      const cachedPage = edition.pages.get(key);
      if (cachedPage === undefined) return makePage(edition, key, write);
      // The page is moved to the end, since it is now the most recently used.
      edition.pages.delete(key);
      edition.pages.set(key, cachedPage);
      return cachedPage.reply;
    },
  };
};
