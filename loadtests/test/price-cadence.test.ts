import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { describe, expect, it, type TestContext } from 'vitest';
import { joinMarks, judgeMarks } from '../lib/mark-agreement.ts';
import { runAgainst } from './support/run-against.ts';
import { listen } from './targets/listen.ts';
import { startPriceFeed, type FeedFlaws } from './targets/price-feed.ts';

/** A feed, and how late its ticks may be. */
interface Pace {
  readonly tickMs: number;
  readonly latenessP95Ms: number;
  readonly latenessMaxMs: number;
}
/** For a feed that is to fail, whatever the machine adds to its fault. */
const quick: Pace = { tickMs: 2000, latenessP95Ms: 600, latenessMaxMs: 1000 };
/** For one that is to pass, or to be late by a certain time: a busy machine is late too. */
const patient: Pace = { tickMs: 8000, latenessP95Ms: 5000, latenessMaxMs: 6000 };

const run = async (url: string, pace: Pace, variables: Readonly<Record<string, string>> = {}) =>
  await runAgainst('price-cadence', {
    CUSTOMER_URL: url,
    TICK_MS: String(pace.tickMs),
    LATENESS_P95_MS: String(pace.latenessP95Ms),
    LATENESS_MAX_MS: String(pace.latenessMaxMs),
    ...variables,
  });

const runFlawed = async (context: TestContext, flaws: FeedFlaws, pace = quick) => {
  const { url, close } = await startPriceFeed(pace.tickMs, flaws);
  context.onTestFinished(close);
  return await run(url, pace);
};

describe.concurrent('the price cadence suite', () => {
  it('passes a feed that ticks on its marks', async (context) => {
    const { exitCode, failed, report, stdout } = await runFlawed(context, {}, patient);
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
    const heard = report.verdicts.find(({ threshold }) => threshold.startsWith('feed_mark_heard'));
    expect(heard?.observed).toBe('150 of 150');
    expect(stdout).toContain('Price cadence, smoke: all thresholds passed');
  });

  const wrong: readonly (readonly [string, FeedFlaws, readonly string[], Pace?])[] = [
    ['leaves out a seq', { skipsSeq: true }, ['feed_no_gap']],
    ['sends a seq twice', { repeatsSeq: true }, ['feed_no_repeat']],
    ['misses a mark', { missesMarks: true }, ['feed_mark_heard']],
    ['ticks twice on a mark', { ticksTwice: true }, ['feed_mark_once']],
    ['sends no snapshot', { noSnapshot: true }, ['feed_snapshot']],
    ['sends two snapshots', { twoSnapshots: true }, ['feed_snapshot']],
    ['leaves out a price', { noSellPrice: true }, ['feed_message_valid']],
    ['repeats its first answer', { staysAtFirstAnswer: true }, ['feed_price_fresh']],
    ['knows no price but the last', { isStale: true }, ['feed_price_fresh']],
    ['has a price that stands still', { amountsStand: true }, ['feed_price_moves']],
    ['sells above what others buy at', { wrongSpread: true }, ['feed_spread_right']],
    ['is late', { lateMs: 750 }, ['feed_lateness']],
    ['is late by most of a tick', { lateMs: 6500 }, ['feed_lateness'], patient],
    ['is late for one socket', { oneLateMs: 1100 }, ['feed_lateness']],
    ['cuts sockets off', { cutsOff: true }, ['feed_held', 'feed_mark_heard', 'sockets_finished']],
    ['cannot be joined', { noNamespace: true }, ['feed_joined', 'sockets_finished']],
  ];

  it.for(wrong)('fails a feed that %s', async ([, flaws, thresholds, pace], context) => {
    const { exitCode, failed, stdout, stderr } = await runFlawed(context, flaws, pace);
    expect(exitCode).toBe(99);
    expect(failed).toEqual(expect.arrayContaining([...thresholds]));
    for (const threshold of thresholds) {
      expect(stdout).toContain(threshold);
      expect(stderr).toContain(threshold);
    }
  });

  const apart: readonly (readonly [string, FeedFlaws, string])[] = [
    ['another price', { oneOtherPrice: true }, 'mark_price min==max'],
    ['another seq', { oneOtherSeq: true }, 'mark_seq min==max'],
  ];

  it.for(apart)('fails a feed that gives one socket %s', async ([, flaws, threshold], context) => {
    const { report } = await runFlawed(context, flaws, patient);
    const failed = report.verdicts.filter(({ ok }) => !ok).map((verdict) => verdict.threshold);
    expect(report.ok).toBe(false);
    expect(failed).toContain(threshold);
  });

  it('fails a feed whose seq is not that of its mark', async (context) => {
    const { report } = await runFlawed(context, { skipsSeq: true });
    const failed = report.verdicts.filter(({ ok }) => !ok).map(({ threshold }) => threshold);
    expect(failed).toContain('mark_seq +1');
  });

  it('fails a feed that reaches one socket long after the others', async (context) => {
    const { url, close } = await startPriceFeed(patient.tickMs, { oneLateMs: 1500 });
    context.onTestFinished(close);
    const { report } = await run(url, patient, { SPREAD_P99_MS: '500' });
    const failed = report.verdicts.filter(({ ok }) => !ok).map(({ threshold }) => threshold);
    expect(failed).toContain('mark_lateness p(99)-min<500');
  });

  it('counts by halves in two processes, whose marks are joined', async (context) => {
    const { url, close } = await startPriceFeed(patient.tickMs);
    context.onTestFinished(close);
    const halves = await Promise.all(
      ['0:1/2', '1/2:1'].map((segment) =>
        run(url, patient, {
          SEGMENT: segment,
          SEGMENT_SEQUENCE: '0,1/2,1',
        }),
      ),
    );
    expect(halves.map(({ exitCode, failed }) => ({ exitCode, failed }))).toEqual([
      { exitCode: 0, failed: [] },
      { exitCode: 0, failed: [] },
    ]);
    const finished = halves.map(
      ({ report }) =>
        report.verdicts.find(({ threshold }) => threshold.startsWith('sockets_'))?.observed,
    );
    expect(finished).toEqual(['25', '25']);
    const joined = joinMarks(halves.map(({ report }) => report.marks ?? []));
    expect(judgeMarks(joined).every(({ ok }) => ok)).toBe(true);
  });

  it('lets a mark be missed where a leader may be replaced', async (context) => {
    const { url, close } = await startPriceFeed(patient.tickMs, { missesMarks: true });
    context.onTestFinished(close);
    // One that hears a single tick, since it joined before a missed mark, cannot say that it moves.
    const variables = { MISSED_MARKS: '2', PRICE_MAY_STAND: 'true' };
    const { exitCode, failed } = await run(url, patient, variables);
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
  });

  it('holds most ticks and every tick against figures of their own', async (context) => {
    const { report } = await runFlawed(context, { oneLateMs: 6800 }, patient);
    const failed = report.verdicts.filter(({ ok }) => !ok).map(({ threshold }) => threshold);
    expect(failed).toContain(`feed_lateness max<${patient.latenessMaxMs}`);
    expect(failed).not.toContain(`feed_lateness p(95)<${patient.latenessP95Ms}`);
  });

  it('lets a price stand still where it may', async (context) => {
    const { url, close } = await startPriceFeed(patient.tickMs, { amountsStand: true });
    context.onTestFinished(close);
    const { exitCode, failed } = await run(url, patient, { PRICE_MAY_STAND: 'true' });
    expect({ exitCode, failed }).toEqual({ exitCode: 0, failed: [] });
  });

  it('fails when nothing answers', async () => {
    const { url, close } = await listen(createServer());
    await close();
    const { exitCode, failed } = await run(url, quick);
    expect(exitCode).toBe(99);
    expect(failed).toContain('feed_joined');
  });

  it('fails when the sockets do not come to the end', async (context) => {
    const silent = createServer();
    const upgrades: Duplex[] = [];
    // takes the connection and says nothing
    silent.on('upgrade', (_request, socket) => upgrades.push(socket));
    const { url, close } = await listen(silent);
    context.onTestFinished(async () => {
      for (const socket of upgrades) socket.destroy();
      await close();
    });
    const { exitCode, failed } = await run(url, quick, { TICK_MS: '100', SPARE_SECONDS: '1' });
    expect(exitCode).toBe(99);
    expect(failed).toContain('sockets_finished');
  });
});
