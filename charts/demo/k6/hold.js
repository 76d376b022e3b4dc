// The load of the hold: each target at an even pace, whatever becomes of the requests before.
import http from 'k6/http';
import { Trend } from 'k6/metrics';

const targets = JSON.parse(__ENV.TARGETS);

export const options = {
  hosts: JSON.parse(__ENV.HOSTS),
  scenarios: Object.fromEntries(
    targets.map(({ perMinute }, index) => [
      `target${index}`,
      {
        executor: 'constant-arrival-rate',
        rate: perMinute,
        timeUnit: '1m',
        duration: '60m',
        preAllocatedVUs: 5,
        maxVUs: 200,
        exec: 'send',
        env: { TARGET: String(index) },
      },
    ]),
  ),
};

const answers = new Trend('hold_answer', true);

/** Returns how a request failed, and in whose words: the service's code, or what a proxy wrote. */
const failureOf = ({ status, error, error_code: code, body }) => {
  if (status === 200) return '';
  if (status === 0) return error || `error ${code}`;
  const words = /"code":\s*"(\w+)"/.exec(body ?? '')?.[1] ?? (body ?? '').trim().slice(0, 40);
  return `${status} ${words}`.trim();
};

export const send = () => {
  const { name, method, url, body, headers } = targets[Number(__ENV.TARGET)];
  const answer = http.request(method, url, body ?? null, { headers, timeout: '30s' });
  answers.add(answer.timings.duration, { name, failure: failureOf(answer) });
};
