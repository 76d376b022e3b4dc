import type { Sealer, Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { sweepRows, type Sweep } from '../../platform/jobs/index.ts';
import type { Logger } from '../../platform/observability/index.ts';
import { sealPincode, sealReason } from './kyc-sealing.ts';
import { listUnsealed, replaceUnsealed, type KycRow } from './kyc.store.ts';

const batchSize = 200;

/** Instead of a sealed text: a rejected record has a reason, and nobody can read this one. */
const erased = '';

const sealRow = ({ id, pincode, reviewReason }: KycRow, sealer: Sealer | undefined) => ({
  ...(pincode !== null && {
    pincodeSealed: sealer === undefined ? erased : sealPincode(sealer, pincode, id),
  }),
  ...(reviewReason !== null && {
    reviewReasonSealed: sealer === undefined ? erased : sealReason(sealer, reviewReason, id),
  }),
});

/**
 * Seals the pincodes and reasons that an earlier version stored in the clear. Those of a customer
 * whose key is destroyed are erased. Nothing to do once every record is sealed.
 */
export const createKycSweeps = (options: {
  readonly db: Db;
  readonly vault: Pick<Vault, 'forUsers'>;
  readonly logger: Pick<Logger, 'error'>;
}): readonly Sweep[] => {
  const { db, vault, logger } = options;
  return [
    {
      name: 'seal-kyc-fields',
      async run(signal) {
        const rows = await listUnsealed(db, batchSize);
        const sealers = await vault.forUsers(
          db,
          rows.map(({ userId }) => userId),
        );
        await sweepRows({
          rows,
          signal,
          onError: (error, { id }) => logger.error({ err: error, kycId: id }, 'not sealed'),
          async handle(row) {
            await replaceUnsealed(db, row, sealRow(row, sealers.get(row.userId)));
            return true;
          },
        });
      },
    },
  ];
};
