import { noSql, selectOne, selectRows, sql, type Db, type Sql } from '../../platform/db/index.ts';

/** The state of an upload: it is PENDING while its objects are written, then the CURRENT one. */
export interface StoredImage {
  readonly id: string;
  readonly productId: string;
  readonly widths: readonly number[];
}

/** The common beginning of the keys of an upload's objects. */
export const imageKeyOf = ({ id, productId }: Pick<StoredImage, 'id' | 'productId'>): string =>
  `products/${productId}/${id}`;

/** Records an upload before its objects are written, so that none of them is ever unknown. */
export const insertPendingImage = async (db: Db, image: StoredImage, at: Date): Promise<void> => {
  const { id, productId, widths } = image;
  await db.productImage.create({
    data: { id, productId, widths: [...widths], status: 'PENDING', createdAt: at },
  });
};

/**
 * Makes a pending upload the image of its locked product, replacing an earlier one.
 * @returns false when the upload was abandoned meanwhile
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
 * Returns the image of an active product with one join, where the model API would read twice: every
 * image that is not in a cache is looked up. Undefined when there is none.
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

/** An upload that is removed. */
export interface RemovableImage extends StoredImage {
  readonly createdAt: Date;
}

const isAfter = (last: RemovableImage | undefined): Sql =>
  last === undefined
    ? noSql
    : sql`AND (created_at, id) > (${last.createdAt}::timestamptz, ${last.id}::uuid)`;

/**
 * Claims uploads for removal, oldest first and later than `after`: replaced before
 * `replacedBefore`, or left unfinished before `pendingBefore`, and those of an earlier pass that
 * did not end. An upload that is claimed can't become a product's image any more.
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
