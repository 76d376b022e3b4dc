const KEY = /^(?=.{1,512}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Whether a store takes this key: no segment can be empty, begin with a dot or leave its place. */
export const isObjectKey = (key: string): boolean => KEY.test(key);
