import type { IncomingHttpHeaders } from 'node:http';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { namesTag, type Reply } from '../../platform/http/index.ts';
import { contentTypeOf, type ImageFormat } from './encode-image.ts';
import { findCurrentImage, type CurrentImage } from './product-images.store.ts';
import { objectKeyOf } from './upload-image.ts';

export interface ServeImageDeps {
  readonly db: Db;
  readonly objects: Pick<ObjectStore, 'get'>;
}

/**
 * Returns WebP if the Accept header lists it by name, otherwise JPEG. A wildcard is not enough,
 * because clients that cannot show WebP send one too.
 */
const formatFor = (accept: string | undefined): ImageFormat => {
  const entries = (accept ?? '').toLowerCase().split(',');
  const webp = entries
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .find(([type]) => type === contentTypeOf.webp);
  return webp === undefined || webp.some((part) => /^q=0(?:\.0*)?$/u.test(part)) ? 'jpeg' : 'webp';
};

/** Returns the smallest stored width that is at least the requested one, or else the largest. */
const widthFor = (storedWidths: readonly number[], requested: number): number => {
  const ascending = storedWidths.toSorted((one, other) => one - other);
  return ascending.find((width) => width >= requested) ?? ascending.at(-1) ?? 0;
};

/** Returns true if the client already has this image, by its ETag or, if it sends none, its date. */
const isFresh = (
  headers: IncomingHttpHeaders,
  { etag, updatedAt }: { readonly etag: string; readonly updatedAt: Date },
): boolean => {
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) return namesTag(noneMatch, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  // The date of a header has no fraction of a second.
  return updatedAt.getTime() - since < 1000;
};

/** The size of a replica's image cache. The least recently used images are evicted first. */
const maxCacheBytes = 8 * 1024 * 1024;

/** Caches objects by key. An entry never goes stale, because a key's bytes never change. */
const createByteCache = (objects: Pick<ObjectStore, 'get'>) => {
  const cache = new Map<string, Buffer>();
  let size = 0;
  const addToCache = (key: string, bytes: Buffer): void => {
    if (cache.has(key) || bytes.length > maxCacheBytes) return;
    cache.set(key, bytes);
    size += bytes.length;
    for (const [oldestKey, oldest] of cache) {
      if (size <= maxCacheBytes) return;
      cache.delete(oldestKey);
      size -= oldest.length;
    }
  };
  return async (key: string): Promise<Buffer | undefined> => {
    const cached = cache.get(key);
    if (cached !== undefined) {
      // The entry is moved to the end, since it is now the most recently used.
      cache.delete(key);
      cache.set(key, cached);
      return cached;
    }
    const outcome = await objects.get(key);
    if (outcome.kind !== 'done') throw new AppError('SERVICE_UNAVAILABLE', { cause: outcome });
    if (outcome.value !== undefined) addToCache(key, outcome.value.bytes);
    return outcome.value?.bytes;
  };
};

const maxAttempts = 3;

/**
 * Creates the handler that serves a product's image. Clients may cache it for a day. Each upload,
 * width and format has its own ETag (contract: jewellery > Product image).
 */
export const createServeImage = ({ db, objects }: ServeImageDeps) => {
  const bytesOf = createByteCache(objects);

  const requireImage = async (productId: string): Promise<CurrentImage> => {
    const image = await findCurrentImage(db, productId);
    if (image === undefined) throw new AppError('NOT_FOUND');
    return image;
  };

  return async (
    productId: string,
    request: { readonly width: number; readonly headers: IncomingHttpHeaders },
  ): Promise<Reply> => {
    const format = formatFor(request.headers.accept);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const image = await requireImage(productId);
      const { updatedAt } = image;
      const width = widthFor(image.widths, request.width);
      const etag = `"${image.id}-${width}-${format}"`;
      const headers = {
        etag,
        'cache-control': 'public, max-age=86400',
        'last-modified': updatedAt.toUTCString(),
        vary: 'Accept, Origin',
        // The image is public, so pages of other origins may show it.
        'cross-origin-resource-policy': 'cross-origin',
      };
      if (isFresh(request.headers, { etag, updatedAt })) return { status: 304, headers };
      const bytes = await bytesOf(objectKeyOf(image, width, format));
      const type = contentTypeOf[format];
      if (bytes !== undefined) {
        return { status: 200, bytes, headers: { ...headers, 'content-type': type } };
      }
      // The image was replaced and its object removed meanwhile. The next lookup finds the new one.
    }
    throw new AppError('SERVICE_UNAVAILABLE');
  };
};
