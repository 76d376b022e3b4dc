import { z } from 'zod';
import type { ObjectStore } from '../../adapters/object-store/port.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { readBase64, readJsonBytes, validationError } from '../../platform/http/index.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import { findProduct, lockProduct } from './catalogue.store.ts';
import type { Product } from './catalogue.types.ts';
import { contentTypeOf, encodeImage, ImageProblem, type EncodedImage } from './encode-image.ts';
import { imageKeyOf, insertPendingImage, markImageCurrent } from './product-images.store.ts';
import type { SaveProductDeps } from './save-product.ts';

export interface UploadImageDeps extends SaveProductDeps {
  readonly objects: ObjectStore;
}

const field = 'dataBase64';
const imageError = (message: string): AppError => validationError([{ field, message }]);

const imageBody = z.object({ [field]: z.string() });

/**
 * Returns the base64 text of a body, which is either this text or a JSON object with it. The first
 * character decides, since base64 never begins with a brace.
 */
const textOf = (body: Buffer): string => {
  if (!/^\s*\{/u.test(body.toString('latin1', 0, 100))) return body.toString('latin1').trim();
  const parsed = imageBody.safeParse(readJsonBytes(body).value);
  if (!parsed.success) throw imageError('is required: the image as base64');
  return parsed.data[field] ?? '';
};

/** The maximum size of a decoded upload. */
const imageLimitBytes = 5 * 1024 * 1024;

/** Reads the bytes of an upload. @throws AppError VALIDATION_FAILED, PAYLOAD_TOO_LARGE */
export const readImageBody = (body: Buffer): Buffer => {
  const text = textOf(body).trim();
  if (text === '') throw imageError('is required: the image as base64');
  const bytes = readBase64(text);
  if (bytes === undefined) throw imageError('must be base64');
  if (bytes.length <= imageLimitBytes) return bytes;
  throw new AppError('PAYLOAD_TOO_LARGE', { field, message: 'Images can be at most 5 MB.' });
};

const encode = async (bytes: Buffer): Promise<EncodedImage> => {
  try {
    return await encodeImage(bytes);
  } catch (error) {
    if (error instanceof ImageProblem) throw imageError(error.message);
    throw error;
  }
};

/** Returns the object store's key of an upload in one width and format. */
export const objectKeyOf = (
  image: { readonly id: string; readonly productId: string },
  width: number,
  format: keyof typeof contentTypeOf,
): string => `${imageKeyOf(image)}/${width}.${format}`;

/** Stores the objects of an upload. @throws AppError SERVICE_UNAVAILABLE if the object store fails */
const storeObjects = async (
  objects: ObjectStore,
  image: { readonly id: string; readonly productId: string },
  encoded: EncodedImage,
): Promise<void> => {
  for (const { width, format, bytes } of encoded.objects) {
    const key = objectKeyOf(image, width, format);
    const outcome = await objects.put(key, bytes, contentTypeOf[format]);
    if (outcome.kind !== 'done') throw new AppError('SERVICE_UNAVAILABLE', { cause: outcome });
  }
};

type PutImageDeps = Pick<UploadImageDeps, 'db' | 'inTransaction' | 'clock' | 'random' | 'objects'>;

/** The change of a product's image, as its audit row shows it. */
interface ImageChange {
  readonly before: string | null;
  readonly after: string;
  readonly contentType: string;
  readonly widths: readonly number[];
}

/**
 * Replaces the image of a product in three steps:
 * 1. It inserts a row for the upload. If a later step fails, the sweep finds the objects by this row.
 * 2. It stores the image in every width and format.
 * 3. It makes the upload the product's image, and calls `record` in the same transaction.
 * @throws AppError NOT_FOUND, VALIDATION_FAILED for bytes that are not an image, SERVICE_UNAVAILABLE
 * if the object store fails or the sweep has claimed the upload
 */
export const putImage = async (
  { db, inTransaction, clock, random, objects }: PutImageDeps,
  productId: string,
  bytes: Buffer,
  record: (tx: Db, change: ImageChange) => Promise<void>,
): Promise<Product> => {
  if ((await findProduct(db, productId)) === undefined) throw new AppError('NOT_FOUND');
  const encoded = await encode(bytes);
  const { sourceType, widths } = encoded;
  const image = { id: random.uuid(), productId, widths };
  await insertPendingImage(db, image, clock.now());
  await storeObjects(objects, image, encoded);
  return inTransaction(async (tx) => {
    const product = await lockProduct(tx, productId);
    if (product === undefined) throw new AppError('NOT_FOUND');
    const isCurrent = await markImageCurrent(tx, { ...image, sourceType }, clock.now());
    // The upload took so long that the sweep has claimed it for removal as unfinished.
    if (!isCurrent) throw new AppError('SERVICE_UNAVAILABLE');
    const [before, after] = [product.imageKey, imageKeyOf(image)];
    await record(tx, { before, after, contentType: sourceType, widths });
    return { ...product, imageKey: after };
  });
};

/**
 * Replaces the image of a product with an operator's upload, and writes the audit row.
 * @throws AppError as `putImage`
 */
export const uploadImage = (
  deps: UploadImageDeps,
  productId: string,
  bytes: Buffer,
  { principal, context }: ByOperator,
): Promise<Product> =>
  putImage(deps, productId, bytes, (tx, { before, after, contentType, widths }) =>
    deps.audit.record(tx, {
      action: 'product.image.replace',
      ...adminActor(principal, context),
      target: { type: 'product', id: productId },
      before: { imageKey: before },
      after: { imageKey: after, contentType, widths: [...widths] },
    }),
  );
