import type { SourceFile } from './source-files.ts';

/** Something that code must not say, outside of its home. */
export interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  /** The files that it binds. */
  readonly where: (file: SourceFile) => boolean;
  /** The right way, as the failing test prints it. */
  readonly instead: string;
  /** Files that may, each with its reason. */
  readonly allowed?: Readonly<Record<string, string>>;
}

const isIn =
  (...places: readonly RegExp[]) =>
  ({ path }: SourceFile): boolean =>
    places.some((place) => place.test(path));

const ownCode = ({ path, isTest }: SourceFile): boolean => path.startsWith('src/') && !isTest;
const testCode = ({ isTest, path }: SourceFile): boolean =>
  isTest && !path.startsWith('test/fixtures/');
const everywhere = (): boolean => true;
const moneyCode = isIn(/^src\/money\//u, /^src\/modules\//u);

/** The rules of the house style that a pattern can check. */
export const bans: readonly Ban[] = [
  {
    name: 'the environment',
    pattern: /\bprocess\s*\.\s*env\b/gu,
    where: (file) => ownCode(file) && !isIn(/^src\/platform\/config\//u, /\/main\.ts$/u)(file),
    instead: 'declare a variable (platform/config) and take its parsed value as an option',
    allowed: {
      'src/runtime/start-process.ts': 'runMain hands it to the main of every process',
    },
  },
  {
    name: 'the time of day',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/gu,
    where: (file) => ownCode(file) && !isIn(/^src\/platform\/clock\//u)(file),
    instead: 'take a Clock; `wall` (createSystemClock) where the contract says real time',
  },
  {
    name: 'sleeping',
    pattern: /node:timers\/promises/gu,
    where: (file) => ownCode(file) && !isIn(/^src\/platform\/clock\//u)(file),
    instead: 'take Timers and `await timers.sleep(ms, signal)`',
  },
  {
    name: 'randomness',
    pattern: /\bMath\.random\b/gu,
    where: everywhere,
    instead: 'take a Random (platform/ids)',
  },
  {
    name: 'floats near money',
    pattern: /\bNumber\s*\(|\(Number\)|\bparse(?:Float|Int)\s*\(|\.toFixed\s*\(|\.toNumber\s*\(/gu,
    where: (file) => ownCode(file) && moneyCode(file),
    instead: 'use the value types of src/money; toSafePaise and formatGrams for the wire',
    allowed: {
      'src/money/paise.ts': 'toSafePaise: the one way to the integers of the wire, checked',
      'src/money/decimal.ts': "toCellNumber: a spreadsheet's own numbers, where no digit is lost",
      'src/money/bps.ts': 'a percentage for the wire, from an exact decimal',
      'src/money/grams.ts': "reads the database's own decimal, by its exact toFixed",
      'src/modules/audit/audit.store.ts': 'a row number, not an amount',
      'src/modules/audit/chain-gauge.ts': 'a count and a hash for a metric, not an amount',
      'src/modules/price/price.store.ts': 'a tick number, not an amount',
    },
  },
  {
    name: 'rounding near money',
    pattern: /\bMath\.(?:round|floor|ceil|trunc)\b/gu,
    where: (file) => ownCode(file) && moneyCode(file),
    instead: 'use a named rounding of src/money (halfUp, floor4, ...) on integers',
    allowed: {
      'src/modules/kyc/kyc.customer.routes.ts': 'bytes of a body',
      'src/modules/price/price-history.ts': 'milliseconds of a range',
    },
  },
  {
    name: "the ORM's raw queries",
    pattern: /\$(?:queryRaw|executeRaw)\b/gu,
    where: ownCode,
    instead: 'sql, selectRows, selectOne, execute of platform/db (ADR 0026)',
    allowed: {
      'src/platform/db/sql.ts': 'the helper itself',
    },
  },
  {
    name: 'tests that do not run',
    pattern: /\.(?:only|skip|todo|skipIf|runIf|fails)\s*(?:\(|\.each)/gu,
    where: testCode,
    instead: 'make it pass or delete it',
  },
  {
    name: 'sleeping in tests',
    pattern: /\b(?:setTimeout\(\s*(?:resolve|done|r)\b|(?:await|return)\s+delay\()/gu,
    where: testCode,
    instead: 'wait for the condition: `await eventually(() => ...)`',
  },
];

/** Bans that bind comments too. */
export const wordBans: readonly Ban[] = [
  {
    name: 'unfinished work',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b|\bnot (?:yet )?implemented yet\b/gu,
    where: everywhere,
    instead: 'do it, or leave it out',
  },
];
