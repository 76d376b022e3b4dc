import { z } from 'zod';
import { pageOf, pageQuery, plainName } from '../../platform/http/index.ts';
import { bankAccountStatuses } from './banking.types.ts';

export const addAccountBody = z.object({
  accountNumber: z.string().regex(/^\d{9,18}$/u, 'must be 9 to 18 digits'),
  ifsc: z.string().regex(/^[A-Z]{4}0[A-Z0-9]{6}$/u, 'must be an IFSC, such as HDFC0001234'),
  holderName: plainName(100).describe('The name of the account holder, with at least one letter.'),
  primary: z.boolean().exactOptional(),
});
addAccountBody.register(z.globalRegistry, {
  id: 'AddBankAccountRequest',
  examples: [
    { accountNumber: '50100012344321', ifsc: 'HDFC0001234', holderName: 'Asha Rao', primary: true },
  ],
});

export const accountsQuery = pageQuery;

/** A bank account as its customer sees it. Only the last four digits of the number are shown. */
export const bankAccountView = z.object({
  id: z.uuid(),
  accountLast4: z.string().length(4),
  ifsc: z.string(),
  holderName: z.string(),
  status: z.enum(bankAccountStatuses),
  primary: z.boolean(),
  nameMatchScore: z.int().min(0).max(100).nullable(),
  createdAt: z.iso.datetime(),
});
bankAccountView.register(z.globalRegistry, {
  id: 'BankAccount',
  description: 'A bank account. Only the last four digits of its number are shown.',
  examples: [
    {
      id: '0199d8f2-7b1d-7e5f-8d66-4a2b7c8d9e01',
      accountLast4: '4321',
      ifsc: 'HDFC0001234',
      holderName: 'Asha Rao',
      status: 'VERIFIED',
      primary: true,
      nameMatchScore: 100,
      createdAt: '2026-01-15T09:30:00.000Z',
    },
  ],
});

export const bankAccountPage = pageOf(bankAccountView);

export type AddAccountInput = z.output<typeof addAccountBody>;
export type BankAccountView = z.output<typeof bankAccountView>;
