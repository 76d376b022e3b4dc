import { createServer } from 'node:http';
import { listen } from '../../support/listen.ts';

/** A webhook that a collaborator has sent, and that nobody has delivered yet. */
export interface Letter {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Stands between the collaborators and the service: webhooks arrive when the story says so. */
export interface PostOffice {
  readonly url: string;
  /** Takes what has come in since the last call, in a fixed order. */
  collect(): readonly Letter[];
  close(): void;
}

const kept = /^(?:content-type|x-[a-z-]+)$/u;

/** Orders letters by content where their ids are random: what was sent at once has no order. */
const byText = (a: Letter, b: Letter): number => {
  const strip = ({ path, body }: Letter): string => path + body.replace(/[0-9a-f-]{8,}/gu, '');
  const [left, right] = [strip(a), strip(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
};

/** Accepts every webhook at once, and keeps it. */
export const openPostOffice = async (): Promise<PostOffice> => {
  let letters: Letter[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = Object.entries(req.headers).filter(([name]) => kept.test(name));
      letters.push({
        path: req.url ?? '',
        headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(chunks).toString('utf8'),
      });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
    });
  });
  const url = await listen(server);
  return {
    url,
    collect() {
      const collected = letters.toSorted(byText);
      letters = [];
      return collected;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
