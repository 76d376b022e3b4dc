import { fileTypeFromBuffer } from 'file-type';
import type sharpModule from 'sharp';
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';

export const imageFormats = ['webp', 'jpeg'] as const;
export type ImageFormat = (typeof imageFormats)[number];
export const contentTypeOf = { webp: 'image/webp', jpeg: 'image/jpeg' } as const;

/** An image is kept in these widths, in pixels, as far as it is that wide itself. */
const widths = [320, 640, 1280] as const;
const maxWidth = 1280;
/** A decoded image takes four bytes of memory for each of these. */
const maxPixels = 40_000_000;
const acceptedTypes = new Set(['image/jpeg', 'image/png', 'image/webp']);

/** One at a time: the memory of a decoded image is what a pod has to spare. */
const decoding = createSemaphore(1);

type Sharp = typeof sharpModule;
let loading: Promise<Sharp> | undefined;

/** Loads the image library with the first upload: a process that gets none never pays for it. */
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

/** Thrown with what is wrong with the bytes, as the message of a field. */
export class ImageProblem extends Error {
  override readonly name = 'ImageProblem';
}

/** The widths of an image: the usual ones below its own, and its own up to the largest. */
const widthsOf = (own: number): readonly number[] => {
  const largest = Math.min(own, maxWidth);
  return [...widths.filter((width) => width < largest), largest];
};

const typeOf = async (bytes: Buffer): Promise<string> => {
  const type = (await fileTypeFromBuffer(bytes))?.mime;
  if (type !== undefined && acceptedTypes.has(type)) return type;
  const seen = type === undefined ? 'no image' : type;
  throw new ImageProblem(`must be a JPEG, PNG or WebP image; it looks like ${seen}`);
};

const maxSide = 16_000;

/** Reads the size from the head alone, before anything is decoded. */
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
  const made: EncodedImage['objects'][number][] = [];
  for (const width of widthsOf(ownWidth)) {
    // Without `keepMetadata` nothing but pixels is written: no position, camera or thumbnail.
    const scaled = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize({ width, withoutEnlargement: true })
      .toColourspace('srgb')
      .timeout({ seconds: timeoutSeconds });
    const webp = await scaled.clone().webp({ quality: 80 }).toBuffer();
    const onWhite = scaled.clone().flatten({ background: '#ffffff' });
    const jpeg = await onWhite.jpeg({ quality: 82, mozjpeg: true }).toBuffer();
    made.push({ width, format: 'webp', bytes: webp }, { width, format: 'jpeg', bytes: jpeg });
  }
  return made;
};

/**
 * Encodes an image again in a few widths, as WebP and JPEG, upright and without its metadata. Of an
 * animation it takes the first picture. Only the pixels are kept.
 * @throws ImageProblem when the bytes are no image of an accepted type, too large, or broken
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
