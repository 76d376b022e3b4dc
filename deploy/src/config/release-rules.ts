import { problemIf, type Rule } from './problem.ts';

const namedByTheRelease = ['repository', 'tag', 'digest'] as const;

const imageIsOfTheRelease: Rule = ({ release, image }) =>
  namedByTheRelease.flatMap((name) =>
    problemIf(
      release !== undefined && image[name] !== undefined,
      `image.${name}`,
      'is named by `release`; leave it out',
    ),
  );

const imageIsNamed: Rule = ({ release, image }) =>
  (['repository', 'tag'] as const).flatMap((name) =>
    problemIf(
      release === undefined && image[name] === undefined,
      `image.${name}`,
      'is missing; name it, or a `release`',
    ),
  );

const tagIsFixed: Rule = ({ tier, image }) =>
  problemIf(
    tier !== 'dev' && image.tag === 'latest',
    'image.tag',
    `must not be \`latest\` in ${tier}; name the tag of one release`,
  );

/** Rules of what runs: a release, or an image by itself. */
export const releaseRules: readonly Rule[] = [imageIsOfTheRelease, imageIsNamed, tagIsFixed];
