export { createFactorRoutes } from './factor.routes.ts';
export {
  changeOwnPassword,
  confirmFactor,
  removeFactor,
  type FactorRemoval,
} from './own-credentials.ts';
export { signInStaff } from './sign-in-staff.ts';
export type { StaffAccounts, StaffDeps, StaffRealm } from './staff.types.ts';
