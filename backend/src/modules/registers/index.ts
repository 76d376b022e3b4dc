export { monthEndsRegister, policiesRegister, statutoryRegister } from './books.registers.ts';
export { createExportRegister, fileTypes, type ExportRegister } from './export-register.ts';
export { createRegisterAccountingRoutes, filePermissionOf } from './registers.accounting.routes.ts';
export { isInOrder, outOfOrder, registerFields } from './registers.schemas.ts';
export type { RowValues, ComputedRegister } from './registers.types.ts';
export { windowOf } from './period-figures.ts';
export { registerTotals, type RegisterTotals } from './register-totals.read-model.ts';
