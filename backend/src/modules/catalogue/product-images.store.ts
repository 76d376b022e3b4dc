import { noSql, selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';

/**
 * An upload. Its row is PENDING while its objects are written, then CURRENT, and REPLACED after a
 * later upload. It is REMOVING while the sweep removes its objects.
 */
export interface StoredImage {
  readonly id: string;
  readonly productId: string;
  readonly widths: readonly number[];
}

/** Returns the common beginning of the keys of an upload's objects. */
export const imageKeyOf = ({ id, productId }: Pick<StoredImage, 'id' | 'productId'>): string =>
  `products/${productId}/${id}`;

/** Records an upload before its objects are written, so that the sweep finds every object. */
export const insertPendingImage = async (db: Db, image: StoredImage, at: Date): Promise<void> => {
  const { id, productId, widths } = image;
  await db.productImage.create({
    data: { id, productId, widths: [...widths], status: 'PENDING', createdAt: at },
  });
};

/**
 * Makes a pending upload the image of its locked product, which replaces an earlier image. Returns
 * false if the sweep has claimed the upload meanwhile.
 */
export const markImageCurrent = async (
  tx: Db,
  image: StoredImage & { readonly sourceType: string },
  at: Date,
): Promise<boolean> => {
  const { id, productId, sourceType } = image;
  await tx.productImage.updateMany({
    where: { productId, status: 'CURRENT' },
    data: { status: 'REPLACED', endedAt: at },
  });
  const { count } = await tx.productImage.updateMany({
    where: { id, status: 'PENDING' },
    data: { status: 'CURRENT' },
  });
  if (count === 0) return false;
  await tx.product.update({
    where: { id: productId },
    data: { imageKey: imageKeyOf(image), imageContentType: sourceType, imageUpdatedAt: at },
    select: { id: true },
  });
  return true;
};

export interface CurrentImage extends StoredImage {
  readonly updatedAt: Date;
}

/**
 * Returns the image of an active product, or undefined if there is none. It is raw SQL, since every
 * request for an image makes this read and Prisma would read twice.
 */
export const findCurrentImage = (db: Db, productId: string): Promise<CurrentImage | undefined> =>
  selectOne<CurrentImage>(
    db,
    sql`
      SELECT i.id::text AS id, i.product_id::text AS "productId", i.widths,
        p.image_updated_at AS "updatedAt"
      FROM product p JOIN product_image i ON i.product_id = p.id AND i.status = 'CURRENT'
      WHERE p.id = ${productId}::uuid AND p.is_active`,
  );

/** An upload that the sweep removes. */
export interface RemovableImage extends StoredImage {
  readonly createdAt: Date;
}

const isAfter = (last: RemovableImage | undefined): Sql =>
  last === undefined
    ? noSql
    : sql`AND (created_at, id) > (${last.createdAt}::timestamptz, ${last.id}::uuid)`;

/**
 * Claims uploads for removal and returns them, oldest first and later than `after`. It claims
 * uploads that were replaced before `replacedBefore`, unfinished uploads from before
 * `pendingBefore`, and uploads that an earlier pass claimed but did not remove. A claimed upload
 * can no longer become a product's image.
 */
export const claimRemovable = (
  db: Db,
  {
    replacedBefore,
    pendingBefore,
  }: { readonly replacedBefore: Date; readonly pendingBefore: Date },
  { after, limit }: { readonly after: RemovableImage | undefined; readonly limit: number },
): Promise<RemovableImage[]> =>
  selectRows<RemovableImage>(
    db,
    sql`
      WITH claimed AS (
        UPDATE product_image SET status = 'REMOVING'
        WHERE id IN (
          SELECT id FROM product_image
          WHERE status <> 'CURRENT' AND (status = 'REMOVING'
            OR (status = 'REPLACED' AND ended_at < ${replacedBefore}::timestamptz)
            OR (status = 'PENDING' AND created_at < ${pendingBefore}::timestamptz))
            ${isAfter(after)}
          ORDER BY created_at, id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
        RETURNING id, product_id, widths, created_at)
      SELECT c.id::text AS id, c.product_id::text AS "productId", c.widths,
        c.created_at AS "createdAt"
      FROM claimed c ORDER BY c.created_at, c.id`,
  );

export const deleteImage = async (db: Db, id: string): Promise<void> => {
  await db.productImage.deleteMany({ where: { id, status: 'REMOVING' } });
};
