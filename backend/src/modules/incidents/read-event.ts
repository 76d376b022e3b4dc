import { DataKeyDestroyedError, SealError, type Vault } from '../../platform/crypto/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { findEvent, openBody } from '../webhook-inbox/index.ts';
import { maskBody } from './mask-body.ts';
import { canReplay, presentEvent } from './webhook-events.schemas.ts';

export interface ReadEventDeps {
  readonly db: Db;
  readonly vault: Vault;
}

interface SealedEvent {
  readonly id: string;
  readonly sealedBody: string | null;
  readonly sealedForUserId: string | null;
}

/** Returns the masked body of an event, or the reason why it can't be shown. */
const presentBody = async ({ db, vault }: ReadEventDeps, event: SealedEvent) => {
  const { id, sealedBody, sealedForUserId } = event;
  if (sealedBody === null) return { bodyState: 'PURGED' as const };
  try {
    const { rawBody } = await openBody(vault, db, { id, sealedBody, sealedForUserId });
    const body = maskBody(rawBody);
    return body === undefined
      ? { bodyState: 'NOT_JSON' as const }
      : { bodyState: 'MASKED' as const, body };
  } catch (error) {
    if (error instanceof DataKeyDestroyedError || error instanceof SealError) {
      return { bodyState: 'SEALED' as const };
    }
    throw error;
  }
};

/** Returns one stored event with its masked body. @throws AppError NOT_FOUND */
export const readEvent = async (deps: ReadEventDeps, id: string) => {
  const event = await findEvent(deps.db, id);
  if (event === undefined) throw new AppError('NOT_FOUND');
  return {
    ...presentEvent(event),
    canReplay: canReplay(event, event.sealedBody),
    ...(await presentBody(deps, event)),
  };
};
