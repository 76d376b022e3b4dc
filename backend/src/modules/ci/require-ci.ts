import type { Ci } from '../../adapters/ci/port.ts';
import { AppError } from '../../platform/errors/app-error.ts';

/** The CI system. @throws AppError CI_NOT_CONFIGURED while its access token is not set */
export const requireCi = (ci: Ci | undefined): Ci => {
  if (ci === undefined) throw new AppError('CI_NOT_CONFIGURED');
  return ci;
};
