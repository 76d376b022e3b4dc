import type { BankAccountStatus } from './banking.types.ts';

interface Move {
  readonly by: 'provider' | 'customer';
  readonly because: string;
}

type Moves = Readonly<
  Record<BankAccountStatus, Readonly<Partial<Record<BankAccountStatus, Move>>>>
>;

/** The whole life of a bank account (decisions, section 3). What is not here is refused. */
export const bankAccountMoves: Moves = {
  PENDING: {
    VERIFIED: { by: 'provider', because: 'the validation says that the account is active' },
    FAILED: { by: 'provider', because: 'the validation says no, or could not be done' },
  },
  FAILED: {
    PENDING: { by: 'customer', because: 'a further validation was asked for' },
  },
  VERIFIED: {},
};

/** The states from which `to` can be reached. */
export const statesBefore = (to: BankAccountStatus): BankAccountStatus[] =>
  (Object.keys(bankAccountMoves) as BankAccountStatus[]) // exactly the keys of the table
    .filter((from) => bankAccountMoves[from][to] !== undefined);
