import { uploadDocuments } from '../acts/kyc.ts';
import { demoDocuments } from '../demo-documents.ts';
import type { Step } from '../demo.types.ts';

/** Real files, looked at by content; each is sealed with the customer's own key. */
export const uploadPapers: Step = {
  title: 'The customer uploads identity documents',
  async run(demo) {
    const customer = demo.recall('customer');
    demo.keep('documentKeys', await uploadDocuments(customer));
    await customer.api.refused({
      method: 'POST',
      path: '/kyc/documents',
      body: { ...demoDocuments[0], contentType: 'application/pdf' },
      status: 400,
      code: 'VALIDATION_FAILED',
    });
    const kinds = demoDocuments.map(({ kind, contentType }) => `${kind} (${contentType})`);
    return [
      kinds.join(', '),
      'a picture that claims to be a PDF is refused: 400 VALIDATION_FAILED',
    ];
  },
};
