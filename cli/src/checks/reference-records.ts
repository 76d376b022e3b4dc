import type { KubeClient, KubeReference } from '../clients/kube.ts';
import { mergeReferences } from '../clients/kube-merge-references.ts';
import type { CheckRecord } from './check.types.ts';
import { makeRecord, recordOfError } from './make-record.ts';

type ReferenceCheck = 'config-map-exists' | 'secret-exists';

const kinds = {
  'config-map-exists': { kind: 'ConfigMap', noun: 'config map' },
  'secret-exists': { kind: 'Secret', noun: 'secret' },
} as const satisfies Record<ReferenceCheck, { kind: KubeReference['kind']; noun: string }>;

const lookFor = (client: KubeClient, { kind, name }: KubeReference) =>
  kind === 'Secret' ? client.findSecret(name) : client.findConfigMap(name);

const recordOf = async (
  client: KubeClient,
  id: ReferenceCheck,
  reference: KubeReference,
): Promise<CheckRecord> => {
  const title = `${kinds[id].noun} ${reference.name} exists`;
  try {
    const found = await lookFor(client, reference);
    if (found !== undefined) return makeRecord(id, { title, status: 'ok', detail: 'It is there.' });
    return reference.isOptional
      ? makeRecord(id, {
          title: `${kinds[id].noun} ${reference.name} is optional and left out`,
          status: 'ok',
          detail: 'It is not there, and pods start without it.',
        })
      : makeRecord(id, { title, status: 'failed', detail: 'Pods need it, and it is not there.' });
  } catch (error) {
    return recordOfError(id, error, { title });
  }
};

/**
 * Whether what the pods' templates name is there. It is looked for by name, one by one, so that
 * the right to do so can be narrow; no content is asked for.
 */
export const referenceRecords = (
  client: KubeClient,
  id: ReferenceCheck,
  templates: readonly { readonly references: readonly KubeReference[] }[],
): Promise<CheckRecord[]> => {
  const wanted = mergeReferences(templates.flatMap(({ references }) => references));
  return Promise.all(
    wanted
      .filter(({ kind }) => kind === kinds[id].kind)
      .map((reference) => recordOf(client, id, reference)),
  );
};
