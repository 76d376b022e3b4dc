import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A body that is sent as it is. */
export class PlainText {
  readonly text: string;

  constructor(body: string) {
    this.text = body;
  }
}

const logForm = /^\/api\/v1\/namespaces\/gold\/pods\/(?<pod>[^/]+)\/log$/u;

interface Review {
  readonly spec: {
    readonly resourceAttributes: { readonly verb: string; readonly resource: string };
  };
}

interface ExtraState {
  readonly version: string;
  readonly forbidden: ReadonlySet<string>;
  readonly logs: ReadonlyMap<string, string>;
}

/** Answers what is no object of the namespace, or undefined for all else. */
export const answerExtra = async (
  state: ExtraState,
  request: IncomingMessage,
  url: URL,
): Promise<unknown> => {
  const { pathname } = url;
  if (pathname.replaceAll('/', '') === 'version') return { gitVersion: state.version };
  if (pathname === '/api/v1/namespaces') {
    const asked = url.searchParams.get('fieldSelector');
    return { items: asked === 'metadata.name=gold' ? [{ metadata: { name: 'gold' } }] : [] };
  }
  if (pathname === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') {
    const { spec } = JSON.parse(await text(request)) as Review; // what the client says it is
    const { verb, resource } = spec.resourceAttributes;
    return { spec, status: { allowed: !state.forbidden.has(`${verb} ${resource}`) } };
  }
  const pod = logForm.exec(pathname)?.groups?.['pod'];
  return pod === undefined ? undefined : new PlainText(state.logs.get(pod) ?? '');
};
