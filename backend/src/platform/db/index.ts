export { createDatabase, type Database, type Db, type InTransaction } from './database.ts';
export { isTransient, isUniqueViolation, sqlStateOf } from './errors.ts';
