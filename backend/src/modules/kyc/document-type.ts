import { fileTypeFromBuffer } from 'file-type';

/** The types of documents, by content. */
export const documentTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type DocumentType = (typeof documentTypes)[number];

/** Other names that phones and browsers give these types. */
const otherNames: ReadonlyMap<string, DocumentType> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['application/x-pdf', 'application/pdf'],
]);

/** Returns a declared type by its usual name, whatever its case and parameters. */
export const usualTypeName = (declared: unknown): unknown => {
  if (typeof declared !== 'string') return declared;
  const name = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  return otherNames.get(name) ?? name;
};

/** A byte order mark or white space, which readers of PDF pass over, and then its head. */
const pdfHead = /^(?:\xef\xbb\xbf)?[\0\t\n\f\r ]*%PDF-/u;
/** As far as readers of PDF look for its head. */
const pdfHeadBytes = 1024;

const isDocumentType = (type: string | undefined): type is DocumentType =>
  documentTypes.some((known) => known === type);

/**
 * Returns the type of a document by its content alone: what a client declares is often wrong, and
 * a reviewer's browser gets the type that is stored. `seen` says what else it looks like.
 */
export const typeOfDocument = async (
  bytes: Buffer,
): Promise<{ readonly type: DocumentType | undefined; readonly seen: string }> => {
  const head = bytes.subarray(0, pdfHeadBytes).toString('latin1');
  const found = pdfHead.test(head) ? 'application/pdf' : (await fileTypeFromBuffer(bytes))?.mime;
  return { type: isDocumentType(found) ? found : undefined, seen: found ?? 'no known type' };
};
