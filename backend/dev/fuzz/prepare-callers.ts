import { createDemo } from '../demo/create-demo.ts';
import { makeUpNumbers } from '../demo/demo-numbers.ts';
import type { DemoEndpoints } from '../demo/read-endpoints.ts';
import { addBankAccount } from '../demo/steps/add-bank-account.ts';
import { approveCustomer } from '../demo/steps/approve-kyc.ts';
import { buyGold } from '../demo/steps/buy-gold.ts';
import { payAndAllocate } from '../demo/steps/pay-and-allocate.ts';
import { quoteGrams } from '../demo/steps/quote-grams.ts';
import { readPrice } from '../demo/steps/read-price.ts';
import { signIn } from '../demo/steps/sign-in.ts';
import { signInAsOperator } from '../demo/steps/sign-in-operator.ts';
import { submitForReview } from '../demo/steps/submit-kyc.ts';
import { uploadPapers } from '../demo/steps/upload-documents.ts';

/** Steps after which a customer holds gold and has a verified bank account. */
const steps = [
  signIn,
  uploadPapers,
  submitForReview,
  signInAsOperator,
  approveCustomer,
  readPrice,
  quoteGrams,
  buyGold,
  payAndAllocate,
  addBankAccount,
];

/** Access tokens of somebody for whom every route of an API does something. */
interface FuzzCallers {
  readonly customer: string;
  readonly admin: string;
}

/** Signs in a new customer who may do everything and has something, and a super admin. */
export const prepareCallers = async (endpoints: DemoEndpoints): Promise<FuzzCallers> => {
  const demo = createDemo(endpoints);
  try {
    for (const { run } of steps) await run(demo);
    const visitor = demo.visitor.admin(makeUpNumbers(demo.random).ip);
    const { body } = await visitor.post('/v1/auth/login', { body: endpoints.admins.SUPER_ADMIN });
    return { customer: demo.readState('customer').accessToken, admin: body.accessToken };
  } finally {
    await demo.close();
  }
};
