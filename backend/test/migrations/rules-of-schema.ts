/**
 * Lists the rules that the database enforces, sorted by name. They are check constraints, foreign
 * keys, unique indexes without the primary keys, and triggers. The column `broken` has a statement
 * that drops the rule, for tests in a temporary database.
 */
export const rulesSql = `
  SELECT 'check ' || conname AS name, conrelid::regclass || ' ' || pg_get_constraintdef(oid)
      AS definition,
    format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS broken
  FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'reference ' || conname, conrelid::regclass || ' ' || pg_get_constraintdef(oid),
    format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
  FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'unique ' || c.relname, pg_get_indexdef(i.indexrelid), format('DROP INDEX %I CASCADE', c.relname)
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indisunique AND NOT i.indisprimary AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid),
    format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
  ORDER BY 1`;
