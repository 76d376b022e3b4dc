import { submitKyc } from '../acts/kyc.ts';
import type { Step } from '../demo.types.ts';

/** The numbers go in once, and come out masked. */
export const submitForReview: Step = {
  title: 'The customer submits KYC',
  async run(demo) {
    const view = await submitKyc(demo.recall('customer'), demo.recall('documentKeys'));
    return [`${view.status}: PAN ending ${view.panLast4}, Aadhaar ending ${view.aadhaarLast4}`];
  },
};
