import { fileTypeFromBuffer } from 'file-type';
import type sharpModule from 'sharp';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';

export const imageFormats = ['webp', 'jpeg'] as const;
export type ImageFormat = (typeof imageFormats)[number];
export const contentTypeOf = { webp: 'image/webp', jpeg: 'image/jpeg' } as const;

/** The usual widths of stored images, in pixels. An image is never enlarged. */
const usualWidths = [320, 640, 1280] as const;
const maxWidth = 1280;
/** Limits the memory of a decoded image, which takes four bytes for each pixel. */
const maxPixels = 40_000_000;
const acceptedTypes = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** Decodes one image at a time, since a pod has memory for only one decoded image. */
const decoding = createSemaphore(1);

type Sharp = typeof sharpModule;
let loading: Promise<Sharp> | undefined;

/** Loads the image library at the first upload, so that other processes do not need its memory. */
const loadSharp = (): Promise<Sharp> => {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false);
    return sharp;
  });
  return loading;
};

export interface EncodedImage {
  readonly sourceType: string;
  readonly widths: readonly number[];
  readonly objects: readonly {
    readonly width: number;
    readonly format: ImageFormat;
    readonly bytes: Buffer;
  }[];
}

/** The bytes are not an acceptable image. The message is that of a field. */
export class ImageProblem extends Error {
  override readonly name = 'ImageProblem';
}

/** Returns the usual widths below the image's own width, and its own width up to the maximum. */
const widthsOf = (ownWidth: number): readonly number[] => {
  const largest = Math.min(ownWidth, maxWidth);
  return [...usualWidths.filter((width) => width < largest), largest];
};

const typeOf = async (bytes: Buffer): Promise<string> => {
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  if (type !== undefined && acceptedTypes.has(type)) return type;
  const detectedType = type === undefined ? 'no image' : type;
  throw new ImageProblem(`must be a JPEG, PNG or WebP image; it looks like ${detectedType}`);
};

const maxSide = 16_000;

/** Reads the size from the image's header, so that a too large image is never decoded. */
const sizeOf = async (sharp: Sharp, bytes: Buffer) => {
  const { width, height } = (await sharp(bytes, { limitInputPixels: false }).metadata()).autoOrient;
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    throw new ImageProblem(
      `must have at most ${maxPixels / 1_000_000} megapixels and ${maxSide} pixels a side; ` +
        `it is ${width} x ${height}`,
    );
  }
  return { width, height };
};

const timeoutSeconds = 20;

const encodeAll = async (sharp: Sharp, bytes: Buffer, ownWidth: number) => {
  const objects: EncodedImage['objects'][number][] = [];
  for (const width of widthsOf(ownWidth)) {
    // Without `keepMetadata` only pixels are written, and no position, camera or thumbnail.
    const scaled = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize({ width, withoutEnlargement: true })
      .toColourspace('srgb')
      .timeout({ seconds: timeoutSeconds });
    const webp = await scaled.clone().webp({ quality: 80 }).toBuffer();
    const onWhite = scaled.clone().flatten({ background: '#ffffff' });
    const jpeg = await onWhite.jpeg({ quality: 82, mozjpeg: true }).toBuffer();
    objects.push({ width, format: 'webp', bytes: webp }, { width, format: 'jpeg', bytes: jpeg });
  }
  return objects;
};

/**
 * Encodes an image in several widths as WebP and JPEG, upright and without its metadata. It takes
 * the first picture of an animation.
 * @throws ImageProblem if the bytes are not an image of an accepted type, too large, or broken
 */
export const encodeImage = async (bytes: Buffer): Promise<EncodedImage> => {
  const sourceType = await typeOf(bytes);
  const sharp = await loadSharp();
  return decoding.run(async () => {
    try {
      const { width } = await sizeOf(sharp, bytes);
      const objects = await encodeAll(sharp, bytes, width);
      return { sourceType, widths: widthsOf(width), objects };
    } catch (error) {
      if (error instanceof ImageProblem) throw error;
      throw new ImageProblem('must be a whole image; this one is broken or cut off', {
        cause: error,
      });
    }
  });
};
