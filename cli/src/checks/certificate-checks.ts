import { connect } from 'node:tls';
import { CliError } from '../cli-error.ts';
import { releaseSelector } from '../clients/kube.ts';
import type { Check, Finding } from './check.types.ts';
import type { Installation } from './installation.ts';

interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

const timeoutMs = 5000;
const dayMs = 24 * 60 * 60_000;
/**
 * The number of days before the expiry in which the check warns. Automatic renewal replaces a
 * certificate a month before its expiry, so it has failed if the certificate is older.
 */
const warningDays = 14;

/** Returns the expiry of the certificate that a server presents. Its issuer is not checked. */
const readEnd = ({ host, port }: ServerAddress, signal: AbortSignal): Promise<Date> =>
  new Promise((resolve, reject) => {
    // The expiry of an untrusted certificate is needed too. No data is sent on this connection.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
    const giveUp = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    limit.addEventListener('abort', () => giveUp(new Error('it does not answer')), { once: true });
    socket.once('error', giveUp);
    socket.once('secureConnect', () => {
      const { valid_to: end } = socket.getPeerCertificate();
      socket.destroy();
      resolve(new Date(end));
    });
  });

const judge = (end: Date, now: Date): Finding => {
  const days = Math.floor((end.getTime() - now.getTime()) / dayMs);
  const date = end.toISOString().slice(0, 10);
  if (days < 0) return { status: 'failed', detail: `It ended on ${date}.` };
  return {
    status: days < warningDays ? 'warning' : 'ok',
    detail: `It ends on ${date}, in ${days} days.`,
  };
};

const findingOf = async ({ deps }: Installation, place: ServerAddress): Promise<Finding> => {
  const { host, port } = place;
  const title = `the certificate of ${port === 443 ? host : `${host}:${port}`} is valid`;
  try {
    return { title, ...judge(await readEnd(place, deps.signal), deps.now()) };
  } catch (error) {
    deps.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { title, status: 'not-run', detail: `It can't be reached from here: ${reason}` };
  }
};

const placesOf = async ({ release, adminUrl }: Installation): Promise<ServerAddress[]> => {
  const url = adminUrl === undefined ? undefined : new URL(adminUrl);
  const own =
    url?.protocol === 'https:'
      ? [{ host: url.hostname, port: url.port === '' ? 443 : Number(url.port) }]
      : [];
  const hosts = (await release?.client.listTlsHosts(releaseSelector)) ?? [];
  const found = [...own, ...hosts.map((host) => ({ host, port: 443 }))];
  return found.filter(
    ({ host, port }, at) => found.findIndex((one) => one.host === host && one.port === port) === at,
  );
};

/** Checks the certificates that servers present to clients, without reading a Secret. */
export const certificateCheck: Check = {
  id: 'certificate-valid',
  category: 'network',
  title: 'the certificates are valid',
  hint: 'Renew it; with cert-manager "kubectl describe certificate" says why it was not.',
  run: async (installation) => {
    try {
      const places = await placesOf(installation);
      return await Promise.all(places.map((place) => findingOf(installation, place)));
    } catch (error) {
      installation.deps.signal.throwIfAborted();
      if (!(error instanceof CliError)) throw error;
      return [{ status: 'not-run', detail: error.message }];
    }
  },
};
