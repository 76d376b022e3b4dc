/*
 * One object is one file, so that bytes and content type can't come apart: a header line of JSON,
 * a line feed, the bytes.
 */

const lineFeed = 0x0a;
const maxHeaderBytes = 1024;

export interface ObjectHeader {
  readonly contentType: string;
}

/** Begins every file of the store. */
export const printHeader = (header: ObjectHeader): Buffer =>
  Buffer.from(`${JSON.stringify(header)}\n`, 'utf8');

/**
 * The header at a file's beginning and how many bytes it takes.
 * @throws TypeError when the bytes are no object's
 */
export const readHeader = (bytes: Buffer): { header: ObjectHeader; headerBytes: number } => {
  const end = bytes.subarray(0, maxHeaderBytes).indexOf(lineFeed);
  const parsed: unknown = end < 0 ? undefined : JSON.parse(bytes.subarray(0, end).toString('utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'contentType' in parsed) {
    const { contentType } = parsed;
    if (typeof contentType === 'string') return { header: { contentType }, headerBytes: end + 1 };
  }
  throw new TypeError('not an object file');
};

/** This many bytes at a file's beginning always hold its header. */
export const headerReadBytes = maxHeaderBytes;
