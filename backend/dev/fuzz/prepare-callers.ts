import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDemo } from '../demo/create-demo.ts';
import { makeUpNumbers } from '../demo/demo-numbers.ts';
import type { DemoEndpoints } from '../demo/read-endpoints.ts';
import { buyGold, payAndAllocate, quoteGrams, readPrice } from '../demo/chapters/buying.ts';
import {
  approveCustomer,
  signIn,
  signInAsOperator,
  submitForReview,
  uploadPapers,
} from '../demo/chapters/opening-an-account.ts';
import { addBankAccount } from '../demo/chapters/selling.ts';
import { developmentPortalUsers } from '../stack/development-accounts.ts';

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

/** A caller with data, so that every route of an API has something to do. */
interface FuzzCaller {
  readonly header: string;
  readonly callerId?: string;
}

interface FuzzCallers {
  readonly customer: FuzzCaller;
  readonly admin: FuzzCaller;
  readonly accounting: FuzzCaller;
}

const bearer = (token: string): FuzzCaller => ({ header: `Authorization: Bearer ${token}` });

const portalHeader = 'x-portal-token';

/** Makes the accounting API writable. In read-only mode the fuzzer would only see refusals. */
const makeWritable = ({ settingsDir }: DemoEndpoints): void => {
  if (settingsDir === undefined) throw new Error('the switches of the stack are not in a folder');
  writeFileSync(join(settingsDir, 'ACCOUNTING_PORTAL_MODE'), 'readwrite\n');
};

/**
 * Signs in a new customer who may do everything and has something, and a super admin of both the
 * operators and the accounting staff.
 */
export const prepareCallers = async (endpoints: DemoEndpoints): Promise<FuzzCallers> => {
  const demo = createDemo(endpoints);
  try {
    for (const { run } of steps) await run(demo);
    const operator = demo.visitor.admin(makeUpNumbers(demo.random).ip);
    const { body } = await operator.post('/v1/auth/login', { body: endpoints.admins.SUPER_ADMIN });
    makeWritable(endpoints);
    const staff = demo.visitor.accounting(makeUpNumbers(demo.random).ip);
    const { body: portal } = await staff.post('/api/v1/accounting/auth/login', {
      body: developmentPortalUsers.super_admin,
    });
    return {
      customer: bearer(demo.readState('customer').accessToken),
      admin: bearer(body.accessToken),
      accounting: { header: `${portalHeader}: ${portal.token}`, callerId: portal.user.id },
    };
  } finally {
    await demo.close();
  }
};

/**
 * Returns the refusal that the fuzzer's portal user gets, or undefined while they are signed in.
 */
export const refusalOf = async (
  { accounting }: DemoEndpoints,
  { header }: FuzzCaller,
): Promise<string | undefined> => {
  const headers = { [portalHeader]: header.slice(portalHeader.length + 2) };
  const answer = await fetch(`${accounting}/api/v1/accounting/auth/me`, { headers });
  return answer.ok ? undefined : `${answer.status} ${await answer.text()}`;
};
