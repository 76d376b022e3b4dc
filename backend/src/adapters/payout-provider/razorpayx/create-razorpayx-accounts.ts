import { done, unknown } from '../../../platform/outcome/outcome.ts';
import { ECHO_MISMATCH } from '../port.ts';
import type { BankDetails, Payee, PayoutProvider } from '../port.ts';
import type { RazorpayxCalls } from './create-razorpayx-calls.ts';
import * as facts from './razorpayx.facts.ts';
import * as wording from './razorpayx.facts.ts';
import { idAnswer, validationAnswer } from './razorpayx.schemas.ts';

type Accounts = Pick<PayoutProvider, 'ensureFundAccount' | 'startValidation' | 'getValidation'>;

const contactOf = ({ reference, name, phone, email }: Payee) => ({
  name: wording.nameOf(name, wording.contactNameLength),
  ...(email === undefined ? {} : { email }),
  ...(phone === undefined ? {} : { contact: wording.contactNumber(phone) }),
  type: facts.contactType,
  reference_id: reference,
});

const bankAccountOf = ({ holderName, ifsc, accountNumber }: BankDetails) => ({
  name: wording.nameOf(holderName, wording.holderNameLength),
  ifsc,
  account_number: accountNumber,
});

/** Contacts, their fund accounts, and the penny-drops that tell whether those are real. */
export const createRazorpayxAccounts = (
  { get, post }: RazorpayxCalls,
  accountNumber: string,
): Accounts => ({
  // contacts/create, fund-accounts/create: the same details give what is there already.
  async ensureFundAccount({ payee, bank }) {
    const contact = await post(
      {
        operation: 'create-contact',
        path: facts.paths.contacts,
        json: contactOf(payee),
        isIdempotent: true,
      },
      idAnswer,
    );
    if (contact.kind !== 'done') return contact;
    const contactId = contact.value.id;
    const account = await post(
      {
        operation: 'create-fund-account',
        path: facts.paths.fundAccounts,
        json: {
          contact_id: contactId,
          account_type: 'bank_account',
          bank_account: bankAccountOf(bank),
        },
        isIdempotent: true,
      },
      idAnswer,
    );
    return account.kind === 'done' ? done({ contactId, fundAccountId: account.value.id }) : account;
  },

  // composite-account-validation/bank-account. Each is a transfer: never repeated by the client.
  startValidation: ({ bankAccountId, payee, bank }) =>
    post(
      {
        operation: 'validate-account',
        path: facts.paths.validations,
        json: {
          source_account_number: accountNumber,
          validation_type: facts.validationType,
          reference_id: bankAccountId,
          notes: {},
          fund_account: {
            account_type: 'bank_account',
            bank_account: bankAccountOf(bank),
            contact: contactOf(payee),
          },
        },
        isIdempotent: false,
      },
      validationAnswer,
    ),

  async getValidation(validationId) {
    const path = facts.paths.validation(encodeURIComponent(validationId));
    const found = await get({ operation: 'get-validation', path }, validationAnswer);
    if (found.kind !== 'done' || found.value.validationId === validationId) return found;
    return unknown(ECHO_MISMATCH);
  },
});
