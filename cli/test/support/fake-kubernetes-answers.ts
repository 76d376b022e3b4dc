import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { answerExtra, PlainText } from './fake-kubernetes-extras.ts';
import type { FakeObject } from './fake-kubernetes-objects.ts';

const resources = [
  'deployments',
  'pods',
  'configmaps',
  'secrets',
  'events',
  'jobs',
  'ingresses',
  'networkpolicies',
] as const;
export type Resource = (typeof resources)[number];

export interface FakeState {
  readonly token: string;
  readonly objects: Readonly<Record<Resource, Map<string, FakeObject>>>;
  /** Verb and resource that the user may not use: `get secrets`, `create pods/exec`. */
  readonly forbidden: Set<string>;
  /** The requests, as `verb resource[/name]`. */
  readonly requests: string[];
  /** The writes, each as `user agent: verb resource by its field manager`. */
  readonly writes: string[];
  /** Runs before a patch is looked at: somebody else is quicker. */
  beforePatch: (() => void) | undefined;
  /** Runs when a pod is annotated, which makes its node bring the settings. */
  onWake: ((pod: string) => void) | undefined;
  /** Runs when an object is created, and returns its state from then on. */
  onCreate: ((resource: Resource, object: FakeObject) => FakeObject) | undefined;
  /** The logs of pods by their names. */
  readonly logs: Map<string, string>;
  /** The version of Kubernetes. */
  version: string;
  changes: number;
}

const place = String.raw`^\/apis?\/(?:(?:apps|batch|networking\.k8s\.io)\/)?v1\/namespaces\/gold\/`;
const pathForm = new RegExp(`${place}(?<resource>\\w+)(?:\\/(?<name>[^/]+))?$`, 'u');

const isResource = (name: string): name is Resource =>
  resources.some((resource) => resource === name);

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the refusal of a request without the right to it, or undefined when it is allowed. */
export const refusalOf = (
  state: FakeState,
  request: IncomingMessage,
  right: string,
): { status: number; message: string } | undefined => {
  if (request.headers.authorization !== `Bearer ${state.token}`) {
    return { status: 401, message: 'Unauthorized' };
  }
  if (!state.forbidden.has(right)) return undefined;
  return { status: 403, message: `User "test" cannot ${right} in the namespace "gold"` };
};

/** `a=b` and `a in (b,c)`, all of which must hold. */
const matches = (labels: Readonly<Record<string, string>>, selector: string): boolean =>
  selector
    .split(/,(?![^(]*\))/u)
    .filter((term) => term !== '')
    .every((term) => {
      const [, key = '', list = ''] = /^(\S+) in \((.*)\)$/u.exec(term) ?? [];
      if (key !== '') return list.split(',').includes(labels[key] ?? '');
      const [name = '', value] = term.split('=');
      return labels[name] === value;
    });

const metadataForm = 'as=PartialObjectMetadata';

/** Secrets are returned only as metadata: goldctl requests nothing else. */
const inForm = (resource: Resource, object: FakeObject, accept: string): unknown => {
  if (accept.includes(metadataForm)) {
    return {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.metadata,
    };
  }
  if (resource === 'secrets') throw new Refused(406, 'the content of a secret was asked for');
  return object;
};

const listOf = (state: FakeState, resource: Resource, url: URL, accept: string): unknown => {
  const selector = url.searchParams.get('labelSelector') ?? '';
  const found = [...state.objects[resource].values()].filter(({ metadata }) =>
    matches(metadata.labels ?? {}, selector),
  );
  // Pages have at most two items, so that a client must request the rest.
  const start = Number(url.searchParams.get('continue') ?? '0');
  const end = start + 2;
  return {
    metadata: end < found.length ? { continue: String(end) } : {},
    items: found.slice(start, end).map((object) => inForm(resource, object, accept)),
  };
};

const patched = (
  state: FakeState,
  { resource, name }: { readonly resource: Resource; readonly name: string },
  body: FakeObject,
): FakeObject => {
  const old = state.objects[resource].get(name);
  if (old === undefined) throw new Refused(404, `${resource} "${name}" not found`);
  const version = old.metadata.resourceVersion ?? '1';
  if ((body.metadata.resourceVersion ?? version) !== version) {
    throw new Refused(409, `Operation cannot be fulfilled on ${resource} "${name}"`);
  }
  state.changes += 1;
  const annotations = { ...old.metadata.annotations, ...body.metadata.annotations };
  const metadata = { ...old.metadata, annotations, resourceVersion: String(state.changes) };
  const changed = { ...old, metadata, data: { ...old.data, ...body.data } };
  state.objects[resource].set(name, changed);
  return changed;
};

const patch = async (
  state: FakeState,
  at: { readonly resource: Resource; readonly name: string },
  request: IncomingMessage,
) => {
  if (request.headers['content-type'] !== 'application/merge-patch+json') {
    throw new Refused(415, 'the body of the request was in an unknown format');
  }
  const body = JSON.parse(await text(request)) as FakeObject; // what the client says it is
  if (at.resource === 'configmaps') state.beforePatch?.();
  else state.onWake?.(at.name);
  return patched(state, at, body);
};

const created = async (state: FakeState, resource: Resource, request: IncomingMessage) => {
  const body = JSON.parse(await text(request)) as FakeObject; // what the client says it is
  state.changes += 1;
  const object = { ...body, metadata: { ...body.metadata, name: `${resource}-${state.changes}` } };
  const stands = state.onCreate?.(resource, object) ?? object;
  state.objects[resource].set(object.metadata.name, stands);
  return stands;
};

const verbOf = (method: string | undefined, name: string | undefined): string => {
  const verbs: Readonly<Record<string, string>> = {
    PATCH: 'patch',
    POST: 'create',
    DELETE: 'delete',
  };
  return verbs[method ?? ''] ?? (name === undefined ? 'list' : 'get');
};

const answer = async (state: FakeState, request: IncomingMessage): Promise<unknown> => {
  const url = new URL(request.url ?? '/', 'http://api');
  const extra = await answerExtra(state, request, url);
  if (extra !== undefined) return extra;
  const { resource = '', name } = pathForm.exec(url.pathname)?.groups ?? {};
  if (!isResource(resource)) throw new Refused(404, 'the server could not find the resource');
  const verb = verbOf(request.method, name);
  state.requests.push(`${verb} ${resource}${name === undefined ? '' : `/${name}`}`);
  const refusal = refusalOf(state, request, `${verb} ${resource}`);
  if (refusal !== undefined) throw new Refused(refusal.status, refusal.message);
  if (verb === 'create' || verb === 'patch') {
    const manager = url.searchParams.get('fieldManager') ?? 'nobody';
    const agent = request.headers['user-agent'] ?? 'nobody';
    state.writes.push(`${agent}: ${verb} ${resource} by ${manager}`);
  }
  const accept = request.headers.accept ?? '';
  if (verb === 'create') return created(state, resource, request);
  if (name === undefined) return listOf(state, resource, url, accept);
  if (verb === 'patch') return patch(state, { resource, name }, request);
  const object = state.objects[resource].get(name);
  if (object === undefined) throw new Refused(404, `${resource} "${name}" not found`);
  if (verb === 'delete') state.objects[resource].delete(name);
  const metadata = { resourceVersion: '1', ...object.metadata };
  return inForm(resource, { ...object, metadata }, accept);
};

/** Answers one request as an API server does, with a Status for a refusal. */
export const answerRequest = async (
  state: FakeState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const send = (status: number, body: unknown): void => {
    const isPlain = body instanceof PlainText;
    response.writeHead(status, { 'content-type': isPlain ? 'text/plain' : 'application/json' });
    response.end(isPlain ? body.text : JSON.stringify(body));
  };
  try {
    send(200, await answer(state, request));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, message } = error;
    send(status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status });
  }
};
