import { z } from 'zod';
import { secretNames } from '../src/config/variables.ts';
import type { PolicySettings } from './settings.ts';
import { containersOf, kindOf, podOf, saying, type ResourceRule } from './workload.ts';

const configMapSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });

/**
 * Returns true for a variable that is a secret by its name, or for an address with a password in
 * it.
 */
const isPlainSecret = (name: string, value: string): boolean =>
  secretNames.includes(name) || /:\/\/[^/\s:@]*:[^/\s@]+@/u.test(value);

/** Refuses a secret in a ConfigMap or in a container's own environment. */
export const noPlainSecrets: ResourceRule = (type, props) => {
  if (kindOf(type) === 'ConfigMap') {
    return Object.entries(configMapSchema.parse(props).data).flatMap(([name, value]) =>
      saying(`${name} is a secret in a ConfigMap: use a Secret`, isPlainSecret(name, value)),
    );
  }
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return containersOf(pod).flatMap((container) =>
    container.env.flatMap(({ name, value }) =>
      saying(
        `${name} of container ${container.name} is a secret in clear: refer to a Secret`,
        value !== undefined && isPlainSecret(name, value),
      ),
    ),
  );
};

const hasDigest = (image: string): boolean => /@sha256:[0-9a-f]{64}$/u.test(image);

const hasTag = (image: string): boolean => {
  if (image.includes('@')) return false;
  const tag = /:(?<tag>[^/:]+)$/u.exec(image)?.groups?.['tag'];
  return tag !== undefined && tag !== 'latest';
};

/**
 * Refuses an image without a digest or a fixed tag. Prod needs a digest, since a tag can be moved.
 */
export const fixedImages =
  ({ tier }: PolicySettings): ResourceRule =>
  (type, props) => {
    const pod = podOf(type, props);
    if (pod === undefined) return [];
    return containersOf(pod).flatMap(({ name, image }) =>
      tier === 'prod'
        ? saying(`container ${name} runs ${image}: name a digest`, !hasDigest(image))
        : saying(
            `container ${name} runs ${image}: name a digest or a tag`,
            !hasDigest(image) && !hasTag(image),
          ),
    );
  };
