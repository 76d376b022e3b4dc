import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { FakeObject } from './fake-kubernetes-objects.ts';

export type Resource = 'deployments' | 'pods' | 'configmaps' | 'secrets' | 'events';

export interface FakeState {
  readonly token: string;
  readonly objects: Readonly<Record<Resource, Map<string, FakeObject>>>;
  /** Verb and resource that the user may not use: `get secrets`, `create pods/exec`. */
  readonly forbidden: Set<string>;
  /** The requests, as `verb resource[/name]`. */
  readonly requests: string[];
  /** Runs before a patch is looked at: somebody else is quicker. */
  beforePatch: (() => void) | undefined;
  /** Runs when a pod is annotated, which makes its node bring the settings. */
  onWake: ((pod: string) => void) | undefined;
  version: number;
}

const pathForm =
  /^\/apis?\/(?:apps\/)?v1\/namespaces\/gold\/(?<resource>\w+)(?:\/(?<name>[^/]+))?$/u;

const isResource = (name: string): name is Resource =>
  ['deployments', 'pods', 'configmaps', 'secrets', 'events'].includes(name);

class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Returns the refusal of a request without the right to it; undefined when it is allowed. */
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

/** Secrets are given out as metadata alone: goldctl asks for nothing else. */
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
  // Pages of two at most, so that whoever lists must ask for the rest.
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
  state.version += 1;
  const annotations = { ...old.metadata.annotations, ...body.metadata.annotations };
  const metadata = { ...old.metadata, annotations, resourceVersion: String(state.version) };
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
  state.version += 1;
  const object = { ...body, metadata: { ...body.metadata, name: `${resource}-${state.version}` } };
  state.objects[resource].set(object.metadata.name, object);
  return object;
};

const answer = async (state: FakeState, request: IncomingMessage): Promise<unknown> => {
  const url = new URL(request.url ?? '/', 'http://api');
  const { resource = '', name } = pathForm.exec(url.pathname)?.groups ?? {};
  if (!isResource(resource)) throw new Refused(404, 'the server could not find the resource');
  const isPatch = request.method === 'PATCH';
  const isNew = request.method === 'POST';
  const verb = isNew ? 'create' : isPatch ? 'patch' : name === undefined ? 'list' : 'get';
  state.requests.push(`${verb} ${resource}${name === undefined ? '' : `/${name}`}`);
  const refusal = refusalOf(state, request, `${verb} ${resource}`);
  if (refusal !== undefined) throw new Refused(refusal.status, refusal.message);
  const accept = request.headers.accept ?? '';
  if (isNew) return created(state, resource, request);
  if (name === undefined) return listOf(state, resource, url, accept);
  if (isPatch) return patch(state, { resource, name }, request);
  const object = state.objects[resource].get(name);
  if (object === undefined) throw new Refused(404, `${resource} "${name}" not found`);
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
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  try {
    send(200, await answer(state, request));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, message } = error;
    send(status, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: status });
  }
};
