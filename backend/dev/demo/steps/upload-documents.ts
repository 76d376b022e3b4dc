import { demoDocuments } from '../demo-documents.ts';
import type { DemoCustomer, Step } from '../demo.types.ts';
import { expectRefusal, expectStatus } from '../expect-answer.ts';

export type DocumentKeys = Readonly<Record<(typeof demoDocuments)[number]['kind'], string>>;

/** Uploads the customer's papers; returns the key of each. */
export const uploadDocuments = async ({ api }: DemoCustomer): Promise<DocumentKeys> => {
  const keys = { PAN: '', AADHAAR_FRONT: '', SELFIE: '' };
  for (const body of demoDocuments) {
    const uploaded = await expectStatus(201, api.post('/v1/kyc/documents', { body }));
    keys[body.kind] = uploaded.documentKey;
  }
  return keys;
};

/** Real files, looked at by content; each is sealed with the customer's own key. */
export const uploadPapers: Step = {
  title: 'The customer uploads identity documents',
  async run(demo) {
    const customer = demo.readState('customer');
    demo.saveState('documentKeys', await uploadDocuments(customer));
    const dataBase64 = Buffer.from('no picture and no PDF').toString('base64');
    const body = { ...demoDocuments[0], dataBase64 };
    await expectRefusal(400, 'VALIDATION_FAILED', customer.api.post('/v1/kyc/documents', { body }));
    const kinds = demoDocuments.map(({ kind, contentType }) => `${kind} (${contentType})`);
    return [
      kinds.join(', '),
      'a text that claims to be a picture is refused: 400 VALIDATION_FAILED',
    ];
  },
};
