import type { Logger } from '../../platform/observability/index.ts';
import type { Switches } from '../settings/index.ts';

export const postingRefusals = [
  'ACCOUNTING_POSTING_DISABLED',
  'ACCOUNTING_POSTING_BLOCKED_ENGINE_NOT_WIRED',
] as const;
type PostingRefusal = (typeof postingRefusals)[number];

/** Returns the reason why nothing can be posted now. There always is a reason. */
export const readPostingRefusal = async (switches: Pick<Switches, 'read'>) => {
  const isEnabled = (await switches.read('ACCOUNTING_AUTO_POSTING_ENABLED')) === 'true';
  const code: PostingRefusal = isEnabled
    ? 'ACCOUNTING_POSTING_BLOCKED_ENGINE_NOT_WIRED'
    : 'ACCOUNTING_POSTING_DISABLED';
  return { isEnabled, code };
};

/** The result of a posting. It is always a refusal, since there is no posting engine. */
interface PostingOutcome {
  readonly posted: false;
  readonly code: PostingRefusal;
}

/** Posts the totals of a source, such as a closed month. */
export type Post = (posting: {
  readonly source: string;
  readonly id: string;
}) => Promise<PostingOutcome>;

/**
 * Creates the gate for postings to the ledger. It refuses every posting and logs the refusal. The
 * refusal is returned and not thrown (contract: accounting > Ledger).
 */
export const createPostingGate =
  (deps: {
    readonly switches: Pick<Switches, 'read'>;
    readonly logger: Pick<Logger, 'warn'>;
  }): Post =>
  async ({ source, id }) => {
    const { code } = await readPostingRefusal(deps.switches);
    deps.logger.warn({ code, source, sourceId: id }, 'a posting to the ledger was refused');
    return { posted: false, code };
  };
