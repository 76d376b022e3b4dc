import type { ShapeBound, ShapeOptions } from './json-body.ts';
import {
  createBodyReader,
  usualBodyLimits,
  type BodyBound,
  type BodyLimits,
  type BodyReader,
} from './read-body.ts';

/** Counts refusals by client, and refuses a client that has had too many. */
export interface RefusalLimit {
  /**
   * Runs `work`, and counts a refusal of the client by it.
   * @throws AppError RATE_LIMITED without running `work`, for a client at the limit
   */
  watch<T>(client: string, work: () => Promise<T>): Promise<T>;
}

/** Reads the bodies of an API's requests within their bounds. */
export interface ApiBodies {
  readonly reader: BodyReader;
  readonly shape: ShapeOptions;
  /** Returns the limit of a body whose route has none. */
  limitBytes(isSigned: boolean): number;
  /** Limits the refusals of signed routes. Without it, refusals are not limited. */
  readonly refusals?: RefusalLimit | undefined;
}

export interface BodyOptions {
  readonly limits?: Partial<BodyLimits>;
  readonly onBound?: (bound: BodyBound | ShapeBound) => void;
  readonly refusals?: RefusalLimit;
}

/** Creates the readers of an API's bodies. All routes share one memory limit. */
export const createApiBodies = (options: BodyOptions = {}): ApiBodies => {
  const { onBound = () => undefined, refusals } = options;
  const limits = { ...usualBodyLimits, ...options.limits };
  return {
    reader: createBodyReader({ limits, onBound }),
    shape: { limits, onBound },
    limitBytes: (isSigned) => (isSigned ? limits.webhookBytes : limits.bytes),
    refusals,
  };
};
