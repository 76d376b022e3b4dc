import { z } from 'zod';
import { AppError } from '../../platform/errors/app-error.ts';
import {
  defineRoute,
  idParams,
  isUtf8Type,
  ok,
  PUBLIC,
  wholeNumber,
  type Route,
} from '../../platform/http/index.ts';
import { adminAccess } from '../admins/index.ts';
import { adminProductView, presentAdminProduct } from './catalogue.schemas.ts';
import { contentTypeOf } from './encode-image.ts';
import { createServeImage, type ServeImageDeps } from './serve-image.ts';
import { readImageBody, uploadImage, type UploadImageDeps } from './upload-image.ts';

const tags = ['products'];

const imageQuery = z.object({
  width: wholeNumber(1, 99_999, 99_999).describe(
    'The width to fill, in pixels. Returns the smallest stored image that is wide enough, ' +
      'or the widest.',
  ),
  v: z
    .string()
    .max(64)
    .optional()
    .describe(
      'The version in `imageUrl`, which only distinguishes cached images. The service ignores it.',
    ),
});

/** Describes the JSON body for the documentation. `readImageBody` reads the body. */
const imageBody = z.object({ dataBase64: z.string() }).meta({
  id: 'UploadImageRequest',
  examples: [{ dataBase64: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBD' }],
});

/** Declares `/products/:id/image` of the customer API. */
export const createImageRoute = (deps: ServeImageDeps): Route => {
  const serveImage = createServeImage(deps);
  return defineRoute({
    tags,
    access: PUBLIC,
    method: 'GET',
    path: '/products/:id/image',
    summary: 'The image of a product, as WebP if `Accept` allows it and otherwise as JPEG',
    params: idParams,
    query: imageQuery,
    produces: Object.values(contentTypeOf),
    responses: { 200: null, 304: null },
    errors: ['SERVICE_UNAVAILABLE'],
    handler: ({ params: { id }, query: { width }, context: { headers } }) =>
      serveImage(id, { width, headers }),
  });
};

/** Allows an image of 5 MB as base64 in JSON. */
const imageBodyLimitBytes = 7 * 1024 * 1024;

/** Declares `/products/:id/image` of the admin API. */
export const createUploadRoute = (deps: UploadImageDeps): Route =>
  defineRoute({
    tags,
    access: adminAccess('SUPER_ADMIN', 'ADMIN'),
    method: 'POST',
    path: '/products/:id/image',
    summary: 'Replace the image of a product',
    params: idParams,
    bodyLimitBytes: imageBodyLimitBytes,
    rawBody: true,
    consumes: {
      description:
        'A JPEG, PNG or WebP image of at most 5 MB, as base64 in JSON or as the raw bytes.',
      content: [
        {
          type: 'application/json',
          schema: imageBody,
        },
        { type: 'text/plain' },
      ],
    },
    responses: { 200: adminProductView },
    errors: ['VALIDATION_FAILED', 'MALFORMED_JSON', 'SERVICE_UNAVAILABLE'],
    handler: async ({ params: { id }, rawBody, principal, context }) => {
      if (!isUtf8Type(context.headers['content-type'])) {
        throw new AppError('UNSUPPORTED_MEDIA_TYPE');
      }
      const bytes = readImageBody(rawBody);
      const product = await uploadImage(deps, id, bytes, { principal, context });
      return ok(presentAdminProduct(product, await deps.readRates()));
    },
  });
