import {
  countSealedByOther,
  resealColumn,
  type SealedColumn,
  type Vault,
} from '../../platform/crypto/index.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import type { ApprovalContent, ApprovalRequest } from './approvals.types.ts';

const contextOf = (id: string) => ({
  purpose: 'approval',
  column: 'approval_request.content_sealed',
  row: id,
});

const contents: SealedColumn = {
  table: 'approval_request',
  column: 'content_sealed',
  contextOf,
};

/** Seals the content of a request, because people wrote notes and references in it. */
export const sealContent = (
  { service }: Pick<Vault, 'service'>,
  id: string,
  content: ApprovalContent,
): string => service.seal(JSON.stringify(content), contextOf(id));

export const openContent = (
  { service }: Pick<Vault, 'service'>,
  { id, contentSealed }: Pick<ApprovalRequest, 'id' | 'contentSealed'>,
): ApprovalContent =>
  // Only `sealContent` writes this text, and the context binds it to its row.
  JSON.parse(service.open(contentSealed, contextOf(id))) as ApprovalContent;

/** Seals the contents with the current key, as `resealColumn` says. */
export const resealApprovals = (
  deps: { readonly vault: Pick<Vault, 'keyId' | 'service'>; readonly inTransaction: InTransaction },
  signal: AbortSignal,
): Promise<number> => resealColumn(deps, contents, signal);

/** Counts the contents that another service key than `keyId` sealed. */
export const countOutdatedApprovals = (db: Db, keyId: string): Promise<number> =>
  countSealedByOther(db, contents, keyId);
