// The load of the hold: each target at an even pace, whatever becomes of the requests before.
import http from 'k6/http';

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

export const send = () => {
  const { name, method, url, body, headers } = targets[Number(__ENV.TARGET)];
  http.request(method, url, body ?? null, { headers, timeout: '30s', tags: { name } });
};
