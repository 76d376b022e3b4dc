import * as fc from 'fast-check';

/** Makes positions in a story, in any order, cut into groups that arrive at the same time. */
export const arrivalsOf = (story: readonly unknown[]): fc.Arbitrary<number[][]> => {
  const all = { minLength: story.length, maxLength: story.length };
  return fc
    .tuple(fc.shuffledSubarray([...story.keys()], all), fc.array(fc.boolean(), all))
    .map(([order, cuts]) =>
      order.reduce<number[][]>((groups, event, at) => {
        const last = groups.at(-1);
        if (last === undefined || cuts[at] === true) groups.push([event]);
        else last.push(event);
        return groups;
      }, []),
    );
};
