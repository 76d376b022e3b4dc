import assert from 'node:assert/strict';

/** `registry:5000/name:tag` in two, as the charts want it. @throws Error without a tag */
export const splitImage = (image: string): { repository: string; tag: string } => {
  const colon = image.lastIndexOf(':');
  const [repository, tag] = [image.slice(0, Math.max(colon, 0)), image.slice(colon + 1)];
  const isTag = colon > 0 && /^[\w][\w.-]{0,127}$/u.test(tag);
  assert(isTag && tag !== 'latest', `the image ${image} needs a tag, other than latest`);
  return { repository, tag };
};
