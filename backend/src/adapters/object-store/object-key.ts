const KEY = /^(?=.{1,512}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Returns true for a valid key: no segment may be empty, begin with a dot or leave the folder. */
export const isObjectKey = (key: string): boolean => KEY.test(key);
