export { createDatabase, type Database, type Db, type InTransaction } from './database.ts';
export { isDatabaseOutOfReach, isTransient, isUniqueViolation, sqlStateOf } from './errors.ts';
