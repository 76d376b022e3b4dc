/** An image of one transparent pixel, which is a whole PNG of 70 bytes. */
const onePoint =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 242 153]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** The documents of a customer's KYC. They are valid files with little content. */
export const demoDocuments = [
  { kind: 'PAN', contentType: 'image/png', dataBase64: onePoint },
  {
    kind: 'AADHAAR_FRONT',
    contentType: 'application/pdf',
    dataBase64: Buffer.from(pdf).toString('base64'),
  },
  { kind: 'SELFIE', contentType: 'image/png', dataBase64: onePoint },
] as const;
