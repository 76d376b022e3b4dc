import { okAnswer, type Answer, type Call, type Operation } from '../../core/collaborator.ts';
import type { RazorpayxPayoutSimulator } from './razorpayx-payout-simulator.ts';
import type { RazorpayxStore, Contact, FundAccount } from './razorpayx-store.ts';
import { contactView, fundAccountView, validationView } from './razorpayx-views.ts';
import {
  badRequest,
  contactSchema,
  fundAccountSchema,
  readBody,
  unknownId,
  validationSchema,
} from './razorpayx.wire.ts';
import type { z } from 'zod';

interface AccountDeps {
  readonly store: RazorpayxStore;
  readonly simulator: RazorpayxPayoutSimulator;
  /** The service's own account at the provider. */
  readonly accountNumber: string;
}

/** Returns the contact with the same details, else a new one (page contacts/create). */
const findOrAddContact = (
  store: RazorpayxStore,
  details: z.output<typeof contactSchema>,
): Contact => {
  const { name, email = null, contact = null, type = null, reference_id = null } = details;
  const wanted = { name, email, contact, type, reference_id };
  const known = store.contacts.newestWhere(
    (row) =>
      row.name === name &&
      row.email === email &&
      row.contact === contact &&
      row.type === type &&
      row.reference_id === reference_id,
  );
  return known ?? store.contacts.add(wanted);
};

type BankAccount = z.output<typeof fundAccountSchema>['bank_account'];

/** Returns the fund account with the same details, else a new one (page fund-accounts/create). */
const findOrAddFundAccount = (
  store: RazorpayxStore,
  contactId: string,
  { name, ifsc, account_number }: BankAccount,
): FundAccount => {
  const known = store.fundAccounts.newestWhere(
    (row) =>
      row.contact_id === contactId &&
      row.name === name &&
      row.ifsc === ifsc &&
      row.account_number === account_number,
  );
  return known ?? store.fundAccounts.add({ contact_id: contactId, name, ifsc, account_number });
};

const createContact = ({ store }: AccountDeps, { body }: Call): Answer => {
  const read = readBody(contactSchema, body);
  if ('refused' in read) return read.refused;
  return okAnswer(contactView(findOrAddContact(store, read.value)));
};

const createFundAccount = ({ store }: AccountDeps, { body }: Call): Answer => {
  const read = readBody(fundAccountSchema, body);
  if ('refused' in read) return read.refused;
  const contact = store.contacts.get(read.value.contact_id);
  if (contact === undefined) return unknownId;
  const { bank_account: bankAccount } = read.value;
  return okAnswer(fundAccountView(findOrAddFundAccount(store, contact.id, bankAccount)));
};

const validate = ({ store, simulator, accountNumber }: AccountDeps, { body }: Call): Answer => {
  const read = readBody(validationSchema, body);
  if ('refused' in read) return read.refused;
  const {
    source_account_number: source,
    fund_account: requested,
    reference_id = null,
  } = read.value;
  if (source !== accountNumber) {
    return badRequest('The account number is invalid.', 'source_account_number');
  }
  const contact = findOrAddContact(store, requested.contact);
  const account = findOrAddFundAccount(store, contact.id, requested.bank_account);
  const validation = store.validations.add({
    fund_account_id: account.id,
    reference_id,
    status: 'created',
    account_status: null,
  });
  simulator.endValidationLater(validation);
  return okAnswer(validationView(store, validation));
};

const getValidation = ({ store }: AccountDeps, { params }: Call): Answer => {
  const validation = store.validations.get(params['validationId']);
  return validation === undefined ? unknownId : okAnswer(validationView(store, validation));
};

/**
 * Serves contacts, fund accounts, and the composite penny-drop, which also creates a contact and a
 * fund account.
 */
export const accountOperations = (deps: AccountDeps): readonly Operation[] => {
  return [
    {
      name: 'create-contact',
      method: 'POST',
      path: '/v1/contacts',
      handle: (call) => createContact(deps, call),
    },
    {
      name: 'create-fund-account',
      method: 'POST',
      path: '/v1/fund_accounts',
      handle: (call) => createFundAccount(deps, call),
    },
    {
      name: 'validate-account',
      method: 'POST',
      path: '/v1/fund_accounts/validations',
      handle: (call) => validate(deps, call),
    },
    {
      name: 'get-validation',
      method: 'GET',
      path: '/v1/fund_accounts/validations/:validationId',
      shape: {
        spare: ['reference_id', 'status_details'],
        needed: ['validation_results.account_status', 'validation_results.registered_name'],
        state: 'status',
      },
      handle: (call) => getValidation(deps, call),
    },
  ];
};
