import type { Client, QueryResultRow } from 'pg';
import { sealDetails } from '../../src/modules/banking/bank-account-sealing.ts';
import { hashPhone } from '../../src/modules/identity/phone.ts';
import { sealReason, sealSubmission } from '../../src/modules/kyc/kyc-sealing.ts';
import { sealAddress } from '../../src/modules/product-orders/shipping-address.ts';
import { aadhaarOf, accountNumberOf, nameOf, panOf, phoneOf } from './made-up-people.ts';
import { goldOrdersEach } from './product-rows.ts';
import type { FillSealing } from './fill-sealing.ts';
import type { SqlTerms } from './series.ts';

/* Personal data is sealed here, in batches, and waits in temporary tables for the statements. */

const batchSize = 2000;

interface Person {
  readonly u: number;
  readonly id: string;
  readonly kyc: string;
  readonly bank: string;
  readonly phone: string;
}

const columns = `
  u bigint, id uuid, phone_hash text, phone_hash_key text, key_id text, wrapped text,
  pan_sealed text, pan_last4 text, pan_hash text, aadhaar_sealed text, aadhaar_last4 text,
  aadhaar_hash text, hash_key text, full_name_sealed text, birth_sealed text, pincode_sealed text,
  reason_sealed text, number_sealed text, number_hash text, number_hash_key text,
  number_last4 text, holder_sealed text`;

interface Batches<Row> {
  /** Selects the rows after place $1, at most $2, in their order. */
  readonly query: string;
  /** Inserts the sealed rows, which are a JSON array. */
  readonly into: string;
  readonly placeOf: (row: Row) => number;
}

/** Runs `seal` over the rows of a query in batches, and stores the rows that it returns. */
const inBatches = async <Row extends QueryResultRow>(
  client: Client,
  { query, into, placeOf }: Batches<Row>,
  seal: (rows: readonly Row[]) => Promise<readonly object[]>,
): Promise<void> => {
  for (let after = -1; ;) {
    const { rows } = await client.query<Row>(query, [after, batchSize]);
    const last = rows.at(-1);
    if (last === undefined) return;
    await client.query(into, [JSON.stringify(await seal(rows))]);
    after = placeOf(last);
  }
};

const sealPerson = async (person: Person, series: number, sealing: FillSealing) => {
  const { u, id } = person;
  const { blindIndex } = sealing;
  const { sealer, keyId, wrapped } = await sealing.newKey(id);
  const keys = { sealer, blindIndex };
  const kyc = sealSubmission(
    {
      pan: panOf(series, u),
      aadhaar: aadhaarOf(series, u),
      pincode: '560001',
      documentKey: '',
      fullName: nameOf(u),
      dateOfBirth: '1990-01-31',
    },
    person.kyc,
    keys,
  );
  const account = { accountNumber: accountNumberOf(series, u), holderName: nameOf(u) };
  const bank = sealDetails(account, person.bank, keys);
  return {
    u,
    id,
    phone_hash: hashPhone(blindIndex, person.phone),
    phone_hash_key: blindIndex.keyId,
    key_id: keyId,
    wrapped: wrapped.toString('hex'),
    pan_sealed: kyc.panSealed,
    pan_last4: kyc.panLast4,
    pan_hash: kyc.panHash,
    aadhaar_sealed: kyc.aadhaarSealed,
    aadhaar_last4: kyc.aadhaarLast4,
    aadhaar_hash: kyc.aadhaarHash,
    hash_key: kyc.hashKey,
    full_name_sealed: kyc.fullNameSealed,
    birth_sealed: kyc.dateOfBirthSealed,
    pincode_sealed: kyc.pincodeSealed,
    reason_sealed: sealReason(sealer, 'The picture was blurred.', person.kyc),
    number_sealed: bank.numberSealed,
    number_hash: bank.numberHash,
    number_hash_key: bank.numberHashKey,
    number_last4: bank.accountLast4,
    holder_sealed: bank.holderNameSealed,
  };
};

/** Seals the customers of `fill_user` into `fill_sealed`, each with a separate data key. */
const sealPeople = async (client: Client, terms: SqlTerms, sealing: FillSealing): Promise<void> => {
  await client.query(`CREATE TEMPORARY TABLE fill_sealed (${columns}) ON COMMIT DROP`);
  await inBatches<Person>(
    client,
    {
      query: `
        SELECT u::int AS u, id, ${terms.id('kyc', 'u')} AS kyc,
          ${terms.id('bank', 'u')} AS bank, ${phoneOf(terms)} AS phone
        FROM fill_user WHERE kind <> 'deleted' AND u > $1 ORDER BY u LIMIT $2`,
      into: `INSERT INTO fill_sealed SELECT * FROM jsonb_to_recordset($1::jsonb) AS x (${columns})`,
      placeOf: ({ u }) => u,
    },
    (rows) => Promise.all(rows.map((person) => sealPerson(person, terms.series, sealing))),
  );
  await client.query('CREATE UNIQUE INDEX ON fill_sealed (u)');
  await client.query('CREATE UNIQUE INDEX ON fill_sealed (id)');
  await client.query('ANALYZE fill_sealed');
};

interface Address {
  readonly place: number;
  readonly id: string;
  readonly user: string;
  readonly name: string;
  readonly phone: string;
  readonly key_id: string;
  readonly wrapped: Buffer;
}

/** Seals the addresses of orders of jewellery into `fill_address`. */
const sealAddresses = async (
  client: Client,
  terms: SqlTerms,
  sealing: FillSealing,
): Promise<void> => {
  const fields = 'n bigint, sealed text';
  await client.query(`CREATE TEMPORARY TABLE fill_address (${fields}) ON COMMIT DROP`);
  await inBatches<Address>(
    client,
    {
      query: `
        SELECT n::int AS place, ${terms.id('productOrder', 'n')} AS id, s.id AS user,
          'Customer ' || u AS name, ${phoneOf(terms)} AS phone, s.key_id,
          decode(s.wrapped, 'hex') AS wrapped
        FROM fill_order JOIN fill_sealed s USING (u)
        WHERE n % ${goldOrdersEach} = 3 AND n > $1 ORDER BY n LIMIT $2`,
      into: `INSERT INTO fill_address SELECT * FROM jsonb_to_recordset($1::jsonb) AS x (${fields})`,
      placeOf: ({ place }) => place,
    },
    (rows) =>
      Promise.all(
        rows.map(async ({ place, id, user, name, phone, key_id: keyId, wrapped }) => {
          const sealer = await sealing.open({ userId: user, keyId, wrapped });
          const home = { line1: '12 MG Road', city: 'Bengaluru', state: 'Karnataka' };
          const address = { name, phone, ...home, pincode: '560001' };
          return { n: place, sealed: sealAddress(sealer, id, address) };
        }),
      ),
  );
  await client.query('CREATE UNIQUE INDEX ON fill_address (n)');
};

/** Seals the personal data of a series as the service would, after its plan is made. */
export const sealPersonalData = async (
  client: Client,
  terms: SqlTerms,
  sealing: FillSealing,
): Promise<void> => {
  await sealPeople(client, terms, sealing);
  await sealAddresses(client, terms, sealing);
};
