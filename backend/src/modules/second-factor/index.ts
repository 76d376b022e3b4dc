export { countOutdatedFactors, resealFactors } from './factor-sealing.ts';
export {
  confirmBody,
  disableBody,
  enrolAnswer,
  enrolBody,
  factorCode,
  factorView,
  presentFactor,
  recoveryCodesView,
  renewBody,
} from './second-factor.schemas.ts';
export {
  createSecondFactors,
  requireProof,
  type SecondFactorDeps,
  type SecondFactors,
} from './second-factors.ts';
