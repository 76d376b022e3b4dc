import type { Outcome } from '../../platform/outcome/outcome.ts';

/** `ifAbsent` was requested and the key is taken. */
export const OBJECT_EXISTS = 'OBJECT_EXISTS';

/** A key that no store accepts: programming or tampering, never a customer's typing. */
export const INVALID_KEY = 'INVALID_KEY';

export interface StoredObjectHead {
  readonly contentType: string;
  readonly sizeBytes: number;
}

export interface StoredObject extends StoredObjectHead {
  readonly bytes: Buffer;
}

interface PutOptions {
  /** Refuses with OBJECT_EXISTS, atomically, instead of replacing. */
  readonly ifAbsent?: boolean;
}

/**
 * A store of blobs under keys such as `kyc/<user>/<uuid>`: segments of `[A-Za-z0-9._-]` that
 * don't begin with a dot, joined by `/`, at most 512 characters in all. The content is opaque:
 * the caller seals personal data before. A reader sees all of an object's bytes or none,
 * and what a `done` put stored survives a crash.
 */
export interface ObjectStore {
  readonly code: string;
  put(
    key: string,
    bytes: Uint8Array,
    contentType: string,
    options?: PutOptions,
  ): Promise<Outcome<void>>;
  /** Returns `undefined` when there is no such object. */
  get(key: string): Promise<Outcome<StoredObject | undefined>>;
  head(key: string): Promise<Outcome<StoredObjectHead | undefined>>;
  /** Deletes an object. It is `done` too when there was none. */
  delete(key: string): Promise<Outcome<void>>;
}

const KEY = /^(?=.{1,512}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Returns true for a valid key: no segment may be empty, begin with a dot or leave the folder. */
export const isObjectKey = (key: string): boolean => KEY.test(key);
