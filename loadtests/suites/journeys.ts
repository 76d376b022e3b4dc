import exec from 'k6/execution';
import { Rate, Trend } from 'k6/metrics';
import type { Options } from 'k6/options';
import { JourneyBroken, openHouse, type House } from '../journeys/house/ask.ts';
import { checkBooks, readFindings, type Findings } from '../journeys/house/books.ts';
import {
  awaitBankAccount,
  openAccount,
  signIn as signInCustomer,
  type Customer,
} from '../journeys/house/open-account.ts';
import { createSession, type Session } from '../journeys/house/session.ts';
import {
  readDesk,
  readRegisters,
  signInAccountant,
  signInOperator,
} from '../journeys/house/staff.ts';
import {
  browse as lookAround,
  buyGold,
  followPlan,
  orderJewellery,
  sellGold,
  type Trader,
} from '../journeys/house/trade.ts';
import { addressSeed, clientAddress } from '../lib/client-addresses.ts';
import { makeUpPerson } from '../lib/made-up-person.ts';
import type { SummaryData } from '../lib/report.types.ts';
import { thresholdsOf } from '../lib/rules.ts';
import { readSettings } from '../lib/settings.ts';
import { reportFiles, reportOf } from '../lib/summary.ts';
import {
  customersOf,
  journeyProfiles,
  journeys,
  scenarioOf,
  type Journey,
} from '../profiles/journeys.ts';
import { journeyRules } from '../thresholds/journeys.ts';

const settings = readSettings(__ENV);
if (settings.hop === 'real') throw new Error('HOP=real makes all customers one: use HOP=played');
const given = journeyProfiles[settings.profile];
const profile = {
  ...given,
  seconds: settings.seconds ?? given.seconds,
  requestP95Ms: settings.requestP95Ms ?? given.requestP95Ms,
  patienceSeconds: settings.patienceSeconds ?? given.patienceSeconds,
};
const rules = journeyRules(profile);

const done = new Rate('journey_done');
const answered = new Rate('answered_as_expected');
const events = new Rate('events_received');
const reconciles = new Rate('books_reconcile');
const rulesHold = new Rate('rules_hold');
const allocationTime = new Trend('allocation_time', true);
const payoutTime = new Trend('payout_time', true);

export const options: Options = {
  scenarios: Object.fromEntries(journeys.map((journey) => [journey, scenarioOf(journey, profile)])),
  thresholds: thresholdsOf(rules),
  hosts: settings.hosts,
  summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max', 'count'],
  setupTimeout: '600s',
  teardownTimeout: '3600s',
};

interface RunData {
  readonly seed: number;
  readonly customers: readonly Customer[];
  readonly operatorToken: string;
  readonly portalToken: string;
  readonly productId: string;
  readonly findings: Findings;
}

const houseAt = (address: string): House =>
  openHouse({ settings, address, observe: (holds) => answered.add(holds) });

/** Makes the customers, signs the house in, and notes what the books find before. */
export const setup = (): RunData => {
  const seed = addressSeed(Math.random());
  const houses = Array.from({ length: customersOf(profile) }, (_, index) =>
    houseAt(clientAddress(seed, index)),
  );
  const desk = houseAt(clientAddress(seed, -1));
  const operatorToken = signInOperator(desk, settings.operator);
  const portalToken = signInAccountant(desk, settings.accountant);
  const customers = houses.map((house) => openAccount(house, operatorToken, Math.random));
  for (const [index, house] of houses.entries()) {
    const customer = customers[index];
    if (customer !== undefined) awaitBankAccount(house, customer);
  }
  const products = desk.ask({ api: 'customer', method: 'GET', route: '/v1/products' });
  const productId = String(products['items'][0]?.id);
  const findings = readFindings(desk, operatorToken);
  return { seed, customers, operatorToken, portalToken, productId, findings };
};

/**
 * The customer of this k6 client, which no other client uses, and which lasts from one journey to
 * the next.
 */
let customer: Customer | undefined;
let session: Session | undefined;
/** The journeys of this customer so far. */
let journeysMade = 0;
/**
 * After these somebody else signs up. The contract lets a customer make ten plans and be paid for
 * twenty sales a day, and have sixty quotes in ten minutes.
 */
const mostJourneys = 10;

/**
 * Each journey has a separate address, so that none is refused for the requests of earlier
 * journeys.
 */
const houseOf = ({ seed, customers }: RunData): House =>
  houseAt(
    clientAddress(seed, customers.length + exec.vu.idInTest * 5000 + exec.vu.iterationInInstance),
  );

const signUp = (house: House, { operatorToken }: RunData): void => {
  const newcomer = openAccount(house, operatorToken, Math.random);
  awaitBankAccount(house, newcomer);
  customer = newcomer;
  session = undefined;
  journeysMade = 0;
};

const traderOf = (house: House, data: RunData): Trader => {
  if (journeysMade === mostJourneys) signUp(house, data);
  journeysMade += 1;
  customer ??= data.customers[(exec.vu.idInTest - 1) % data.customers.length];
  if (customer === undefined) throw new JourneyBroken('there are no customers');
  session ??= createSession(customer, () => Date.now());
  return {
    house,
    customer: { bankAccountId: customer.bankAccountId, accessToken: session.accessToken(house) },
    operatorToken: data.operatorToken,
    newKey: () => `loadtest-${data.seed}-${exec.vu.idInTest}-${Date.now()}-${Math.random()}`,
    patienceSeconds: profile.patienceSeconds,
    observeAllocation: (ms) => allocationTime.add(ms),
    observePayout: (ms) => payoutTime.add(ms),
    observeEvents: (holds) => events.add(holds),
  };
};

const play = (journey: Journey, act: () => void): void => {
  try {
    act();
    done.add(true, { journey });
  } catch (error) {
    done.add(false, { journey });
    if (!(error instanceof JourneyBroken)) throw error;
    // oxlint-disable-next-line no-console -- k6 has no other log.
    console.warn(`${journey}: ${error.message}`);
  }
};

export const browse = (data: RunData): void =>
  play('browse', () => lookAround(houseOf(data), data.productId));

export const signIn = (data: RunData): void =>
  play('signIn', () => {
    const { phone } = makeUpPerson(Math.random);
    signInCustomer(houseOf(data), phone, `loadtest-${phone.slice(1)}`);
  });

export const buy = (data: RunData): void =>
  play('buy', () => buyGold(traderOf(houseOf(data), data), 100 + Math.floor(Math.random() * 400)));

/** Somebody who sells has bought before: a tenth of a gram is more than this sells. */
export const sale = (data: RunData): void =>
  play('sale', () => {
    const trader = traderOf(houseOf(data), data);
    buyGold(trader, 200);
    sellGold(trader, '0.0050');
  });

export const plan = (data: RunData): void =>
  play('plan', () => followPlan(traderOf(houseOf(data), data)));

export const jewellery = (data: RunData): void =>
  play('jewellery', () => orderJewellery(traderOf(houseOf(data), data), data.productId));

export const operators = (data: RunData): void =>
  play('operators', () => readDesk(houseOf(data), data.operatorToken));

export const accountants = (data: RunData): void =>
  play('accountants', () => readRegisters(houseOf(data), data.portalToken));

/** A run that is fast and wrong is no good one: all books are held against one another. */
export const teardown = (data: RunData): void => {
  const house = houseAt(clientAddress(data.seed, -2));
  try {
    const outcome = checkBooks(house, data.operatorToken, data.findings);
    reconciles.add(outcome.reconciles);
    rulesHold.add(outcome.rulesHold);
    // oxlint-disable-next-line no-console -- k6 has no other log.
    for (const words of outcome.words) console.warn(words);
  } catch (error) {
    reconciles.add(false);
    rulesHold.add(false);
    throw error;
  }
};

/** The reports: text on the terminal, JSON and Markdown beside. */
export const handleSummary = (data: SummaryData): Record<string, string> => {
  const run = { suite: 'journeys', title: 'Journeys', profile: settings.profile, rules };
  const figures = [
    { metric: 'iterations', says: 'journeys' },
    { metric: 'http_reqs', says: 'requests made' },
    { metric: 'allocation_time', says: 'from the payment to the gold' },
    { metric: 'payout_time', says: 'from the sale to the money' },
  ];
  return reportFiles(reportOf(run, figures, data), settings.resultsDir);
};
