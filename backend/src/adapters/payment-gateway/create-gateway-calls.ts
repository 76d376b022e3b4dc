import type { z } from 'zod';
import {
  createHttpClient,
  readAnswer,
  type HttpRequest,
  type HttpResponse,
} from '../../platform/http-client/index.ts';
import { done, mapDone, unknown, type Outcome } from '../../platform/outcome/outcome.ts';
import type { AdapterDeps, Closable } from '../adapter-deps.ts';
import { ANSWER_ABOUT_ANOTHER } from '../check-answer.ts';
import { createRowReader, type RowRules } from '../read-rows.ts';
import type { AccountPage, AccountPageRequest, Listed } from './port.ts';

type Texts = Readonly<Record<string, string>>;

interface Post {
  readonly operation: string;
  readonly path: string;
  readonly json: object;
  readonly headers?: Texts;
}

/** The calls to a gateway's API, which authorise requests and read responses. */
export interface GatewayCalls extends Closable {
  /** Returns false while the circuit is open. */
  readonly isAvailable: () => boolean;
  readonly get: <T>(
    operation: string,
    path: string,
    answer: z.ZodType<T>,
    query?: Texts,
  ) => Promise<Outcome<T>>;
  readonly post: <T>(call: Post, answer: z.ZodType<T>) => Promise<Outcome<T>>;
  /** Reads the rows of a list one by one. The outcome is unknown if the list is of another object. */
  readonly readRows: <T>(
    operation: string,
    listed: Outcome<readonly unknown[]>,
    rules: RowRules<T>,
  ) => Outcome<Listed<T>>;
  /** Gets and reads one page of a list of the whole account. */
  readonly getAccountPage: <T>(
    call: { readonly operation: string; readonly path: string; readonly query: Texts },
    list: AccountListing<T>,
  ) => Promise<Outcome<AccountPage<T>>>;
}

/** Describes a list of the whole account. After a full page, there is a further page. */
interface AccountListing<T> {
  readonly answer: z.ZodType<readonly unknown[]>;
  readonly rules: RowRules<T>;
  readonly pageSize: number;
}

/** Returns the query of a page of a list that has the parameters `from`, `to`, `count` and `skip`. */
export const accountQuery = (
  { from, to, page }: AccountPageRequest,
  pageSize: number,
  timeOf: (time: Date) => string,
): Texts => ({
  from: timeOf(from),
  to: timeOf(to),
  count: String(pageSize),
  skip: String((page - 1) * pageSize),
});

interface GatewayCallsOptions {
  /** The collaborator's name in metrics and logs. */
  readonly name: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  /** The headers that authorise every request. */
  readonly headers: Texts;
  /** Reads the gateway's refusal, or undefined if the response is not a refusal. */
  readonly readRefusal: (response: HttpResponse) => Outcome<never> | undefined;
}

const unreadRow = { status: 'UNREADABLE' } as const;

export const createGatewayCalls = (
  { readRefusal, ...api }: GatewayCallsOptions,
  deps: AdapterDeps,
): GatewayCalls => {
  const client = createHttpClient({ ...deps, ...api });
  const readRows = createRowReader(api.name, deps);

  const send = async <T>(request: HttpRequest, answer: z.ZodType<T>): Promise<Outcome<T>> => {
    const sent = await client.request(request);
    return sent.kind === 'done' ? readAnswer(sent.value, answer, readRefusal) : sent;
  };

  return {
    async getAccountPage({ operation, ...call }, { answer, rules, pageSize }) {
      const request = { operation, method: 'GET', safe: true, ...call } as const;
      return mapDone(await send(request, answer), (listed) => {
        const { rows, unreadSubjects } = readRows(operation, listed, rules);
        return { rows, unreadSubjects, hasMore: listed.length >= pageSize };
      });
    },
    get: (operation, path, answer, query = {}) =>
      send({ operation, method: 'GET', path, query, safe: true }, answer),
    // A repeat could create a second order or debit, so only the caller, which has recorded its
    // intent, decides about a repeat.
    post: (call, answer) => send({ ...call, method: 'POST', safe: false }, answer),
    readRows(operation, listed, rules) {
      if (listed.kind !== 'done') return listed;
      const { rows, unread, isForeign } = readRows(operation, listed.value, rules);
      if (isForeign) return unknown(ANSWER_ABOUT_ANOTHER);
      return done([...rows, ...Array.from({ length: unread }, () => unreadRow)]);
    },
    isAvailable: () => client.isAvailable(),
    close: () => client.close(),
  };
};
