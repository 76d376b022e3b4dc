import { batchReads, type Db } from '../../platform/db/index.ts';
import type { Reply } from '../../platform/http/index.ts';
import { findCatalogueVersion } from './catalogue.store.ts';
import type { ProductRates } from './catalogue.types.ts';

type WritePage = (rates: ProductRates) => Promise<Reply | undefined>;

export interface PageCache {
  /**
   * Returns the reply of `key`, written out once for as long as the catalogue and the rates are
   * what they are. Undefined, which is not kept, where `write` has none.
   */
  reply(key: string, write: WritePage): Promise<Reply | undefined>;
}

interface Page {
  readonly reply: Promise<Reply | undefined>;
  /** Zero until it is made. */
  bytes: number;
}

/** The pages of one state of the catalogue and the rates. */
interface Edition {
  readonly name: string;
  readonly rates: ProductRates;
  readonly pages: Map<string, Page>;
  bytes: number;
}

/** The bytes of pages that a replica keeps. The least recently used are dropped first. */
const defaultMaxBytes = 16 * 1024 * 1024;

/**
 * Keeps pages of the catalogue written out. The state is looked up for every request, once for
 * those that come at the same time, so that no page is older than its request: the version is
 * raised in the transaction of the change, and no cache between replicas can be lost or lag.
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

  /** The version is read before any page of it, so that a page can only be newer than its name. */
  const readEdition = batchReads(async (): Promise<Edition> => {
    const [version, rates] = await Promise.all([findCatalogueVersion(db), readRates()]);
    const name = `${version} ${rates.gstBps} ${rates.rate24KPaise ?? '-'}`;
    if (current?.name !== name) current = { name, rates, pages: new Map(), bytes: 0 };
    return current;
  });

  /** Counts a new page, and drops the least recently used ones beyond the bound. */
  const account = (edition: Edition, key: string, page: Page, bytes: number): void => {
    if (edition.pages.get(key) !== page) return;
    page.bytes = 2 * key.length + bytes;
    edition.bytes += page.bytes;
    for (const [oldest, made] of edition.pages) {
      if (edition.bytes <= maxBytes) return;
      if (made.bytes === 0) continue;
      edition.pages.delete(oldest);
      edition.bytes -= made.bytes;
    }
  };

  const make = async (
    edition: Edition,
    key: string,
    write: WritePage,
  ): Promise<Reply | undefined> => {
    const page: Page = { reply: write(edition.rates), bytes: 0 };
    edition.pages.set(key, page);
    try {
      const reply = await page.reply;
      if (reply === undefined) edition.pages.delete(key);
      else account(edition, key, page, reply.bytes?.length ?? 0);
      return reply;
    } catch (error) {
      // The next request tries again.
      edition.pages.delete(key);
      throw error;
    }
  };

  return {
    async reply(key, write) {
      const edition = await readEdition();
      const known = edition.pages.get(key);
      if (known === undefined) return make(edition, key, write);
      // Most recently used, so dropped last.
      edition.pages.delete(key);
      edition.pages.set(key, known);
      return known.reply;
    },
  };
};
