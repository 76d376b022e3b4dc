import { fileTypeFromBuffer } from 'file-type';

/** The media types that a document may have. */
export const documentTypes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
export type DocumentType = (typeof documentTypes)[number];

/** Other names of these types that phones and browsers send. */
const aliases: ReadonlyMap<string, DocumentType> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['application/x-pdf', 'application/pdf'],
]);

/** Returns the canonical name of a declared media type, in lower case and without parameters. */
export const canonicalTypeName = (declared: unknown): unknown => {
  if (typeof declared !== 'string') return declared;
  const name = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  return aliases.get(name) ?? name;
};

/** Matches the header of a PDF, after a byte order mark or white space, which PDF readers ignore. */
const pdfHeader = /^(?:\xef\xbb\xbf)?[\0\t\n\f\r ]*%PDF-/u;
/** The number of bytes in which PDF readers search for the header. */
const pdfHeaderSearchBytes = 1024;

const isDocumentType = (type: string | undefined): type is DocumentType =>
  documentTypes.some((known) => known === type);

/**
 * Detects the type of a document from its content alone. The declared type is often wrong, and a
 * reviewer's browser receives the stored type. `type` is undefined if the content has no accepted type,
 * and `detectedType` then names the type for the error message.
 */
export const typeOfDocument = async (
  bytes: Buffer,
): Promise<{ readonly type: DocumentType | undefined; readonly detectedType: string }> => {
  const firstBytes = bytes.subarray(0, pdfHeaderSearchBytes).toString('latin1');
  const mimeType = pdfHeader.test(firstBytes)
    ? 'application/pdf'
    : (await fileTypeFromBuffer(bytes))?.mime;
  return {
    type: isDocumentType(mimeType) ? mimeType : undefined,
    detectedType: mimeType ?? 'no known type',
  };
};
