import type { Outcome } from '../../platform/outcome/outcome.ts';

/** A put with `ifAbsent` was refused, because there is an object with the key. */
export const OBJECT_EXISTS = 'OBJECT_EXISTS';

/** The key has a form that no store accepts. Only a bug or tampering can cause it. */
export const INVALID_KEY = 'INVALID_KEY';

export interface StoredObjectHead {
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface StoredObject extends StoredObjectHead {
  readonly bytes: Buffer;
}

interface PutOptions {
  /** True if an existing object must not be replaced. The put then fails with OBJECT_EXISTS. */
  readonly ifAbsent?: boolean;
}

/**
 * A store of blobs under keys such as `kyc/<user>/<uuid>`. A key has at most 512 characters and
 * consists of segments of `[A-Za-z0-9._-]`, which are joined by `/` and don't begin with a dot. The
 * store does not encrypt, so callers seal personal data. A reader sees all of an object's bytes or
 * none. After a put that is `done`, the object survives a crash.
 */
export interface ObjectStore {
  /** The adapter's name, such as `s3`. */
  readonly code: string;
  put(
    key: string,
    bytes: Uint8Array,
    contentType: string,
    options?: PutOptions,
  ): Promise<Outcome<void>>;
  /** Returns `undefined` if there is no such object. */
  get(key: string): Promise<Outcome<StoredObject | undefined>>;
  head(key: string): Promise<Outcome<StoredObjectHead | undefined>>;
  /** Deletes an object. It is also `done` if there is no such object. */
  delete(key: string): Promise<Outcome<void>>;
}

const KEY = /^(?=.{1,512}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Returns true for a valid key. No segment may be empty or begin with a dot. */
export const isObjectKey = (key: string): boolean => KEY.test(key);
