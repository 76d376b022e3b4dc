import type { PaymentGateway } from './port.ts';

/** Which credentials an installation takes payments with. */
export interface CredentialsRule {
  readonly isProduction: boolean;
  /** ALLOW_TEST_PAYMENTS: production's shape, with test money alone. */
  readonly allowTestPayments: boolean;
}

interface SeparatedGateways<G> {
  readonly gateways: ReadonlyMap<string, G>;
  /** Never chosen, asked or believed: nothing that they report is a payment here. */
  readonly barred: ReadonlyMap<string, G>;
}

/**
 * Separates the gateways whose credentials do not fit the installation: in production those with
 * test credentials, since what they capture is no money and would buy gold; with
 * ALLOW_TEST_PAYMENTS all others, since real money would buy nothing.
 */
export const separateByCredentials = <G extends Pick<PaymentGateway, 'credentials'>>(
  all: ReadonlyMap<string, G>,
  { isProduction, allowTestPayments }: CredentialsRule,
): SeparatedGateways<G> => {
  const fits = ({ credentials }: G): boolean =>
    !isProduction || (credentials === 'test') === allowTestPayments;
  return {
    gateways: new Map([...all].filter(([, gateway]) => fits(gateway))),
    barred: new Map([...all].filter(([, gateway]) => !fits(gateway))),
  };
};
