import { giveGatewaysBack } from '../gateways.ts';
import type { Step } from '../demo.types.ts';

/** Leaves the stack to whoever worked with it before. */
export const putBack: Step = {
  title: 'The payment gateways are as they were',
  async run(demo) {
    const before = demo.readState('gatewaysBefore');
    await giveGatewaysBack(demo, before);
    const usual = before.items.find(({ isDefault }) => isDefault);
    return [`default ${usual?.code ?? 'none'}, priority ${before.priority.join(', ') || 'none'}`];
  },
};
