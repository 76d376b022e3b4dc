import { withConnection } from '../../dev/stack/database-setup.ts';

/**
 * Refuses updates of gold orders while the sequence has numbers left below zero: a sequence keeps
 * its count when the transaction that was refused rolls back, which a row would not.
 */
const breakerSql = `
  CREATE SEQUENCE test_break MINVALUE -1000 START 1;
  CREATE FUNCTION refuse_while_broken() RETURNS trigger SECURITY DEFINER LANGUAGE plpgsql AS $$
  BEGIN
    IF nextval('public.test_break') <= 0 THEN
      RAISE EXCEPTION 'gold orders are broken for now';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER refuse_while_broken BEFORE UPDATE ON gold_order
    FOR EACH ROW EXECUTE FUNCTION refuse_while_broken();`;

/** Lets a test break the updates of gold orders, at the address of the tables' owner. */
export const installOrderBreaker = (migrateUrl: string): Promise<void> =>
  withConnection(migrateUrl, async (owner) => {
    await owner.query(breakerSql);
  });

/** Makes the database refuse the next so many updates of gold orders. */
export const breakOrdersFor = (migrateUrl: string, times: number): Promise<void> =>
  withConnection(migrateUrl, async (owner) => {
    await owner.query(`SELECT setval('test_break', ${1 - times}, false)`);
  });
