export {
  findStatutoryOn,
  gstRateBpsOn,
  readGstRateBps,
  hasChargedGstSince,
  insertStatutory,
  listStatutory,
  type StatutoryRow,
} from './statutory.store.ts';
