import { createRequire } from 'node:module';

/**
 * Pulumi hands every policy pack to its own copy of ts-node, which needs an interface that the
 * compiler no longer has. tsx is loaded already and does that work, so ts-node registers nothing.
 */
const tsNode: { register: () => void } = createRequire(import.meta.url)(
  '@pulumi/pulumi/vendor/ts-node@7.0.1/index.js',
);
tsNode.register = () => undefined;
