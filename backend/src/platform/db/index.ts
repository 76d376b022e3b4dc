export { batchReads } from './batch-reads.ts';
export { createDatabase, type Database, type Db, type InTransaction } from './database.ts';
export { createConnections, type Connections } from './connections.ts';
export { sessionOptions, WrongSessionError } from './session.ts';
export { clientClassOf, createClient } from './several-hosts.ts';
export { boundsOf } from './ranges.ts';
export { createPrimaryReads, createReplicaReads, type StaleReads } from './read-replica.ts';
export { type ReadSnapshot, type Snapshot } from './read-snapshot.ts';
export { isDatabaseOutOfReach, isUniqueViolation, sqlStateOf } from './errors.ts';
export {
  execute,
  joinSql,
  lockRow,
  lockText,
  noSql,
  selectOne,
  selectRows,
  sql,
  sqlChanges,
  sqlColumns,
  sqlName,
  type Sql,
} from './sql.ts';
export {
  readAlone,
  readOf,
  readTogether,
  writeAndRead,
  writeTogether,
  type Part,
  type Read,
  type Reads,
  type ReadValues,
} from './together.ts';
