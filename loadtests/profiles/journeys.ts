import type { Scenario } from 'k6/options';
import type { ProfileName } from '../lib/settings.ts';

/** The starts of each journey per minute at rate 1, and its expected duration. */
const journeyRates = {
  browse: { perMinute: 60, seconds: 0.5 },
  signIn: { perMinute: 12, seconds: 1 },
  buy: { perMinute: 30, seconds: 3 },
  sale: { perMinute: 12, seconds: 6 },
  plan: { perMinute: 6, seconds: 1 },
  jewellery: { perMinute: 12, seconds: 1 },
  operators: { perMinute: 12, seconds: 1 },
  accountants: { perMinute: 6, seconds: 1 },
} as const;
export type Journey = keyof typeof journeyRates;
export const journeys = Object.keys(journeyRates) as Journey[]; // keys() returns string[]

/** A stage of a run, in which the rate changes to `rate` over `seconds`. */
interface Stage {
  readonly rate: number;
  readonly seconds: number;
}

export interface JourneyProfile {
  /** The rate at the start of the run. Without stages it stays constant. */
  readonly rate: number;
  readonly seconds: number;
  readonly stages: readonly Stage[];
  /** The limit of the 95th percentile of request durations. */
  readonly requestP95Ms: number;
  /** The seconds within which a webhook must have taken effect. */
  readonly patienceSeconds: number;
}

const steady = { stages: [], requestP95Ms: 1000, patienceSeconds: 20 };

/**
 * The profiles are open models: journeys start on schedule, however long earlier ones take. If the
 * system is too slow, journeys pile up until one cannot start.
 */
export const journeyProfiles: Readonly<Record<ProfileName, JourneyProfile>> = {
  // The limits are lenient, because the machine may build and test at the same time.
  smoke: { ...steady, rate: 1, seconds: 20, requestP95Ms: 4000, patienceSeconds: 45 },
  load: {
    ...steady,
    rate: 1,
    seconds: 0,
    stages: [
      { rate: 4, seconds: 30 },
      { rate: 4, seconds: 120 },
    ],
  },
  spike: {
    ...steady,
    rate: 1,
    seconds: 0,
    requestP95Ms: 2000,
    stages: [
      { rate: 1, seconds: 30 },
      { rate: 8, seconds: 5 },
      { rate: 8, seconds: 30 },
      { rate: 1, seconds: 5 },
      { rate: 1, seconds: 30 },
    ],
  },
  soak: { ...steady, rate: 1, seconds: 1800 },
  // This profile is run by hand. Its result is the rate at which the system fails.
  breakpoint: { ...steady, rate: 1, seconds: 0, stages: [{ rate: 30, seconds: 300 }] },
};

/** Returns the k6 clients that a journey needs: twice its expected concurrency, plus two. */
const atOnce = (journey: Journey, profile: JourneyProfile): number => {
  const { perMinute, seconds } = journeyRates[journey];
  const highest = Math.max(profile.rate, ...profile.stages.map(({ rate }) => rate));
  return 2 + Math.ceil(((perMinute * highest) / 60) * seconds * 2);
};

/** Returns k6's scenario of a journey: a constant arrival rate, or one that ramps. */
export const scenarioOf = (journey: Journey, profile: JourneyProfile): Scenario => {
  const { perMinute } = journeyRates[journey];
  const common = {
    exec: journey,
    timeUnit: '60s',
    preAllocatedVUs: atOnce(journey, profile),
    gracefulStop: `${profile.patienceSeconds * 3}s`,
  };
  if (profile.stages.length === 0) {
    return {
      ...common,
      executor: 'constant-arrival-rate',
      rate: perMinute * profile.rate,
      duration: `${profile.seconds}s`,
    };
  }
  return {
    ...common,
    executor: 'ramping-arrival-rate',
    startRate: perMinute * profile.rate,
    stages: profile.stages.map(({ rate, seconds }) => ({
      target: perMinute * rate,
      duration: `${seconds}s`,
    })),
  };
};

/** Returns the number of customers that a run needs: one for each k6 client. */
export const customersOf = (profile: JourneyProfile): number =>
  journeys.reduce((sum, journey) => sum + atOnce(journey, profile), 0);
