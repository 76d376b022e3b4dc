import { isSecretKey } from '../observability/redact-keys.ts';
import type { JsonObject, JsonValue } from './job.types.ts';

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Throws when a payload has a key of a secret or of something personal. Payloads are kept in the
 * clear and outlive a deletion (contract: identity-and-kyc > Personal data), so they name rows and
 * hold nothing else.
 */
export const assertIdsOnly = (task: string, payload: JsonObject): void => {
  for (const [key, value] of Object.entries(payload)) {
    if (isSecretKey(key)) throw new Error(`the payload of ${task} must not hold "${key}"`);
    if (isObject(value)) assertIdsOnly(task, value);
  }
};
