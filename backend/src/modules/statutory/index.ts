export {
  findStatutoryOn,
  gstRateBpsOn,
  hasChargedGstSince,
  insertStatutory,
  listStatutory,
  type StatutoryRow,
} from './statutory.store.ts';
