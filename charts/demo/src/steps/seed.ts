import type { ClusterStep } from '../cluster.types.ts';
import { upgradeTestbed } from '../upgrade-testbed.ts';

/** Only adds what is missing, so the first operator stays unchanged. */
export const seed: ClusterStep = {
  title: 'The seed: evidence for the gates, a catalogue, accounts',
  async run(context) {
    await upgradeTestbed(context, true);
    return ['the Job is done'];
  },
};
