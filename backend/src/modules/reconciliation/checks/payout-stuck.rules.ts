import type { ProviderPayoutStatus } from '../../../adapters/payout-provider/port.ts';

/** The provider's word on an attempt; the last where it has none of its reference. */
export type PayoutWord = ProviderPayoutStatus | 'NO_SUCH_PAYOUT';

/** What our books say of an attempt, in words that can be compared. */
export type OwnWord = 'OPEN' | 'PAID' | 'UNPAID' | 'REVERSED';

export interface OwnAttempt {
  readonly payoutStatus: string;
  readonly attemptStatus: string;
  readonly isNewest: boolean;
}

const wordOf = (status: string): OwnWord => {
  if (status === 'PAID' || status === 'REVERSED') return status;
  return status === 'FAILED' || status === 'REFUSED' ? 'UNPAID' : 'OPEN';
};

/** The payout's own status speaks for its newest attempt, but where it waits for a further one. */
export const ownWord = ({ payoutStatus, attemptStatus, isNewest }: OwnAttempt): OwnWord =>
  wordOf(isNewest && payoutStatus !== 'PENDING' ? payoutStatus : attemptStatus);

/** The words of the provider that say the same. An attempt that was never taken is open to us. */
const agreeing: Readonly<Record<OwnWord, readonly PayoutWord[]>> = {
  OPEN: ['PROCESSING', 'NO_SUCH_PAYOUT'],
  PAID: ['PAID'],
  UNPAID: ['FAILED', 'REVERSED', 'NO_SUCH_PAYOUT'],
  REVERSED: ['REVERSED', 'FAILED'],
};

export type PayoutProblem = 'PROVIDER_SAYS_OTHERWISE' | 'OTHER_AMOUNT';

/** Holds an attempt of ours against the provider's payout of it. */
export const judgePayout = (
  own: OwnAttempt & {
    readonly amountPaise: bigint;
    /** Of the sell: where only our two amounts differ, that is `sell_without_payout`. */
    readonly proceedsPaise: bigint | null;
    readonly providerPayoutId: string | null;
  },
  theirs: { readonly word: PayoutWord; readonly amountPaise: bigint | undefined },
): PayoutProblem | undefined => {
  const isLost = theirs.word === 'NO_SUCH_PAYOUT' && own.providerPayoutId !== null;
  if (isLost || !agreeing[ownWord(own)].includes(theirs.word)) return 'PROVIDER_SAYS_OTHERWISE';
  const { amountPaise } = theirs;
  const isOurs = amountPaise === own.amountPaise || amountPaise === own.proceedsPaise;
  return amountPaise === undefined || isOurs ? undefined : 'OTHER_AMOUNT';
};
