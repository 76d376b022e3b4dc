import { waitUntilReady } from '../../dev/stack/start-server.ts';
import type { Timers } from '../../src/platform/clock/timers.ts';
import type { Ledger } from './ledger.ts';
import { countKinds } from './report.ts';
import { listCounts } from './run.ts';
import type { NodeName } from './patroni-files.ts';
import type { PatroniCluster } from './patroni.ts';
import type { WatchedWrites } from './watch-writes.ts';

export interface Scene {
  readonly cluster: PatroniCluster;
  readonly watched: readonly WatchedWrites[];
  readonly ledger: Ledger;
  readonly timers: Timers;
  readonly log: (line: string) => void;
  /** Prints a line that belongs to the report. */
  readonly print: (line: string) => void;
}

type FailoverKind = 'killed' | 'switched over' | 'cut off';

/** The time under load before and after a failover, in milliseconds. */
const calmMs = 8000;
/** The time limit until another server leads and all ways write again. */
const longestMs = 180_000;
/**
 * The numbers of buys and sales that must be acknowledged while followers receive nothing, and the
 * time after that.
 */
const [buysToLose, salesToLose, heldBackMs] = [6, 4, 6000];

const leaderOf = async ({ cluster }: Scene): Promise<NodeName> => {
  const name = await cluster.leader();
  if (name === undefined) throw new Error('nobody leads');
  return name;
};

const causeFailover = async (scene: Scene, kind: FailoverKind, leader: NodeName): Promise<void> => {
  const { cluster } = scene;
  if (kind === 'killed') return cluster.killNode(leader);
  if (kind === 'cut off') return cluster.isolate(leader);
  const members = await cluster.members();
  const next = members.find(({ role }) => role === 'sync_standby');
  if (next === undefined) throw new Error('no standby is synchronous');
  return cluster.switchOver(leader, next.name);
};

/** Waits until another server leads and every way writes again. */
const untilWriting = async (scene: Scene, before: NodeName): Promise<NodeName> => {
  const { cluster, watched } = scene;
  let after: NodeName | undefined;
  const hasChanged = async (): Promise<boolean> => {
    after = await cluster.leader();
    return after !== undefined && after !== before;
  };
  if (!(await waitUntilReady(hasChanged, longestMs))) throw new Error('nobody took the lead');
  const ledSince = performance.now();
  const isWriting = async (): Promise<boolean> =>
    watched.every((writes) => writes.hasWrittenSince(ledSince));
  if (!(await waitUntilReady(isWriting, longestMs))) {
    const ways = watched.filter((writes) => !writes.hasWrittenSince(ledSince));
    throw new Error(`nothing is written by ${ways.map(({ way }) => way).join(', ')}`);
  }
  return after ?? before;
};

const printRefused = ({ watched, print }: Scene, title: string, moment: number): void => {
  for (const { way, refusedSince } of watched) {
    const { seconds, answers } = refusedSince(moment);
    const counts: Record<string, number> = {};
    for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
    const refusals = answers.length === 0 ? 'none' : listCounts(counts);
    print(`  ${title}, by ${way}: ${seconds.toFixed(1)} s without writes; refused: ${refusals}`);
  }
};

/** Causes one failover under load, and prints for each way how long nothing was written. */
export const failOver = async (scene: Scene, kind: FailoverKind): Promise<void> => {
  const { cluster, timers, log } = scene;
  await timers.sleep(calmMs);
  const before = await leaderOf(scene);
  const moment = performance.now();
  log(`${before} is ${kind}`);
  await causeFailover(scene, kind, before);
  const after = await untilWriting(scene, before);
  log(`${after} leads`);
  if (kind === 'cut off') await cluster.heal();
  if (kind === 'killed') await cluster.startNode(before);
  await cluster.untilWhole();
  log('all three are there');
  await timers.sleep(calmMs);
  printRefused(scene, `The leader is ${kind}`, moment);
};

/**
 * Waits until enough requests are acknowledged that will be lost, with their payments, trades and
 * payouts.
 */
const untilEnough = async ({ ledger, timers }: Scene, since: number): Promise<void> => {
  const isEnough = async (): Promise<boolean> => {
    const { buy = 0, sale = 0 } = countKinds(ledger.acknowledged.slice(since));
    return buy >= buysToLose && sale >= salesToLose;
  };
  if (!(await waitUntilReady(isEnough, longestMs))) throw new Error('too little was acknowledged');
  await timers.sleep(heldBackMs);
};

/** Loses a leader together with the data that its followers have not received. */
export const loseLeader = async (scene: Scene): Promise<void> => {
  const { cluster, timers, log, ledger } = scene;
  await timers.sleep(calmMs);
  const before = await leaderOf(scene);
  log(`the followers of ${before} hear nothing`);
  await cluster.holdBackFollowersOf(before);
  await untilEnough(scene, ledger.acknowledged.length);
  const moment = performance.now();
  log(`${before} is killed`);
  await cluster.killNode(before);
  await cluster.heal();
  const after = await untilWriting(scene, before);
  log(`${after} leads`);
  await cluster.startNode(before);
  await cluster.untilWhole();
  printRefused(scene, 'The leader is lost', moment);
};
