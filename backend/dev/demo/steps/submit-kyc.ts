import type { DemoCustomer, Step } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import type { DocumentKeys } from './upload-documents.ts';

/** Submits the customer's KYC; returns its view, with the numbers masked. */
export const submitKyc = async (
  { api, numbers, fullName }: DemoCustomer,
  keys: Omit<DocumentKeys, 'AADHAAR_FRONT'>,
) => {
  const { pan, aadhaar } = numbers;
  const documents = { documentKey: keys.PAN, selfieKey: keys.SELFIE };
  const { body } = await api.post('/v1/kyc/submit', {
    body: { pan, aadhaar, pincode: '560001', ...documents, fullName },
  });
  expectThat(body.status === 'SUBMITTED', `KYC reads ${body.status} after it was submitted`);
  return body;
};

/** The numbers go in once, and come out masked. */
export const submitForReview: Step = {
  title: 'The customer submits KYC',
  async run(demo) {
    const view = await submitKyc(demo.readState('customer'), demo.readState('documentKeys'));
    return [`${view.status}: PAN ending ${view.panLast4}, Aadhaar ending ${view.aadhaarLast4}`];
  },
};
