import { Counter, Gauge, type Registry } from 'prom-client';

/** `busy`: too many waited already. `gone`: the client left while it waited. */
type PasswordCheckRefusal = 'busy' | 'gone';

export interface PasswordCheckMetrics {
  countRefusal(reason: PasswordCheckRefusal): void;
}

/** Creates the metrics of one process's password checks; `waiting` tells how many wait now. */
export const createPasswordCheckMetrics = (
  registry: Registry,
  waiting: () => number,
): PasswordCheckMetrics => {
  const registers = [registry];
  // Registered for its own sake: it reads the number whenever it is asked.
  void new Gauge({
    name: 'password_checks_waiting',
    help: 'Password checks that wait for their turn in this process.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  const refused = new Counter({
    name: 'password_checks_refused_total',
    help: 'Password checks refused because too many waited, or dropped because the client left.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of ['busy', 'gone'] as const) refused.inc({ reason }, 0);
  return { countRefusal: (reason) => refused.inc({ reason }) };
};
