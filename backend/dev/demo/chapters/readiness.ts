import { z } from 'zod';
import type { Demo, Step } from '../demo.types.ts';
import { takeGateways } from '../gateways.ts';
import { expectThat } from '../step-failure.ts';
import { countFindings } from './books.ts';

const documentWire = z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });

/** Describes the OpenAPI document that an API serves of itself. */
const describeDocument = async (
  { network, endpoints }: Demo,
  api: 'customer' | 'admin',
): Promise<string> => {
  const response = await network.fetch(new Request(`${endpoints[api]}/docs/openapi.json`));
  expectThat(response.status === 200, `the OpenAPI document of ${api}: ${response.status}`);
  const { openapi, paths } = documentWire.parse(await response.json());
  return `${api} (OpenAPI ${openapi}, ${Object.keys(paths).length} paths)`;
};

/** All three APIs answer. Two of them say what they can. */
export const checkProcesses: Step = {
  title: 'The three APIs answer',
  async run(demo) {
    const { visitor } = demo;
    // Other people may have left some there: the story has its own.
    await demo.sandbox.delete('/_control/faults', {});
    const ip = '10.0.0.1';
    const answers = [
      await visitor.customer(ip).get('/v1/health'),
      await visitor.admin(ip).get('/v1/health'),
      await visitor.accounting(ip).get('/api/v1/accounting/health'),
    ];
    for (const { body } of answers) expectThat(body.status === 'ok', `health: ${body.status}`);
    const described = [
      await describeDocument(demo, 'customer'),
      await describeDocument(demo, 'admin'),
    ];
    return [`${described.join(', ')}, accounting`];
  },
};

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
