import type { Step } from '../demo.types.ts';
import { takeGateways } from '../gateways.ts';
import { countFindings } from './reconcile.ts';
import { expectThat } from '../step-failure.ts';

/** The gate: states for customers, evidence for operators. */
export const checkReadiness: Step = {
  title: 'The service says that it is ready to take money',
  async run(demo) {
    const customer = demo.readState('customer').api;
    const { body: open } = await customer.get('/v1/public/payment-readiness');
    const operator = demo.readState('operator').api;
    const { body: report } = await operator.get('/v1/readiness');
    demo.saveState('findingsBefore', await countFindings(operator));
    demo.saveState('gatewaysBefore', await takeGateways(demo));
    const failing = report.items.filter(({ status }) => status === 'FAIL');
    const reasons = failing.map(({ id, detail }) => `${id}: ${detail}`).join(' ');
    const why = reasons === '' ? 'the switch DIGITAL_GOLD_PAYMENT_ENABLED is not true' : reasons;
    expectThat(report.ready && open.buy === 'OPEN', `buying is ${open.buy}: ${why}`);
    expectThat(open.checkout_available, 'no checkout is available');
    const passing = report.items.filter(({ status }) => status === 'PASS').length;
    return [
      `to customers: buying ${open.buy}, plans ${open.sip}, selling ${open.sell}`,
      `to operators: ${passing} of ${report.items.length} items pass, no blocking one fails`,
    ];
  },
};
