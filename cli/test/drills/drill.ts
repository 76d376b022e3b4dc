import { appendFileSync } from 'node:fs';
import { eventually } from '../../../backend/test/support/eventually.ts';
import { runningTest } from '../../../backend/test/support/running-test.ts';
import { createRestartableRedis } from '../../../backend/test/support/restartable-redis.ts';
import { writeStackHome } from '../support/stack-home.ts';
import { standstillSeconds, startPrometheus, type Prometheus } from './prometheus.ts';

const openCompanion = async () => {
  const redis = await createRestartableRedis();
  await redis.start();
  const environment = {
    REDIS_URL: redis.url,
    FIGURES_EVERY_MS: '500',
    JOB_STANDSTILL_SECONDS: String(standstillSeconds),
    SMS_PER_MINUTE: '10',
  };
  return { redis, environment, close: () => redis.close() };
};

const changeMs = 240_000;

const seconds = (from: number): string => ((performance.now() - from) / 1000).toFixed(0);

/** The drill of an alert. */
interface Drill {
  readonly alert: string;
  /** The fault in a few words, for the report. */
  readonly fault: string;
  /** The page whose steps clear it. */
  readonly runbook: string;
  readonly cause: () => Promise<unknown>;
  /** Runs the runbook's steps. The fault is removed before steps that wait for that. */
  readonly clear: () => Promise<unknown>;
}

const report = (line: string): void => {
  const file = process.env['DRILLS_REPORT'] ?? '';
  if (file !== '') appendFileSync(file, `${line}\n`);
};

const createDrills = (prometheus: Prometheus) => {
  const fires = (alert: string) =>
    eventually(async () => (await prometheus.firing()).includes(alert), {
      timeoutMs: changeMs,
      everyMs: 500,
    });
  const clears = (alert: string) =>
    eventually(async () => !(await prometheus.firing()).includes(alert), {
      timeoutMs: changeMs,
      everyMs: 500,
    });
  /** Causes the fault, sees the alert fire, plays the runbook's steps, sees the alert clear. */
  return async ({ alert, fault, runbook, cause, clear }: Drill): Promise<void> => {
    await clears(alert);
    const begun = performance.now();
    await cause();
    await fires(alert);
    const fired = seconds(begun);
    const cured = performance.now();
    await clear();
    await clears(alert);
    const link = `[${runbook}](runbooks/${runbook}.md)`;
    report(`| ${alert} | ${fault} | ${fired} s | ${link} | ${seconds(cured)} s |`);
  };
};

/** Makes the `it` of a file of drills: the whole system, goldctl's folder and a Prometheus. */
export const drillTest = () =>
  runningTest({ withAdmin: true, checked: 'at the end', openCompanion })
    .extend('env', { scope: 'file' }, async ({ system }, { onCleanup }) => {
      const home = await writeStackHome(system.stack);
      onCleanup(() => home.remove());
      return home.env;
    })
    .extend('prometheus', { scope: 'file' }, async ({ system }, { onCleanup }) => {
      const prometheus = await startPrometheus(system.processes);
      onCleanup(() => prometheus.stop());
      return prometheus;
    })
    .extend('drill', { scope: 'file' }, ({ prometheus }) => createDrills(prometheus));
