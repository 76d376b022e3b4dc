/** A picture of one transparent point: a whole PNG in 70 bytes. */
const onePoint =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 242 153]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** The papers of somebody who submits KYC: real files, though there is little to see on them. */
export const demoDocuments = [
  { kind: 'PAN', contentType: 'image/png', dataBase64: onePoint },
  {
    kind: 'AADHAAR_FRONT',
    contentType: 'application/pdf',
    dataBase64: Buffer.from(pdf).toString('base64'),
  },
  { kind: 'SELFIE', contentType: 'image/png', dataBase64: onePoint },
] as const;
