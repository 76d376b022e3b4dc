import { createHmac } from 'node:crypto';
import { formatRupees, fromSafePaise } from '../../src/money/index.ts';
import { sandboxDefaults } from '../../src/apps/sandbox/sandbox-options.ts';

/**
 * Knowledge of one gateway for the contract test of payment gateways. All else it does through
 * the port and through the sandbox's controls, which are the same for every gateway.
 */
export interface GatewayDriver {
  /** Its code in PAYMENT_GATEWAYS. */
  readonly code: string;
  /** Its name in the sandbox's controls. */
  readonly collaborator: string;
  /** The variable that limits one call, in milliseconds. */
  readonly timeoutVariable: string;
  /** The variable that lists the secrets of its webhooks, or its only credential. */
  readonly secretsVariable: string;
  /** The secret with which the sandbox signs, the value of that variable. */
  readonly secret: string;
  /** The lower-case header that carries the signature. */
  readonly signatureHeader: string;
  /** False if verifyCheckout ignores the signature and queries the gateway. */
  readonly signsCheckout: boolean;
  /** Signs a body as the gateway does. Returns the signature's headers, lower-case. */
  sign(body: string, secret: string): Readonly<Record<string, string>>;
  /** Writes an amount as the gateway writes it in the body of a webhook. */
  amountText(amountPaise: number): string;
  /** Turns the body of a captured payment's event into one of an event without consequence. */
  withoutConsequence(body: string): string;
  /** True if an order's id is not enough to open its checkout. */
  readonly hasCheckoutSession?: boolean;
  /** Makes a mandate token that contains a word, which decides how its debit ends. */
  mandateToken?(word: string): string;
}

const hexSignature =
  (header: string): GatewayDriver['sign'] =>
  (body, secret) => ({ [header]: createHmac('sha256', secret).update(body).digest('hex') });

const sandbox: GatewayDriver = {
  code: 'sandbox',
  collaborator: 'sandbox-gateway',
  timeoutVariable: 'SANDBOX_GATEWAY_TIMEOUT_MS',
  secretsVariable: 'SANDBOX_GATEWAY_WEBHOOK_SECRETS',
  secret: sandboxDefaults.gatewayWebhookSecrets.join(','),
  signatureHeader: 'x-gateway-signature',
  signsCheckout: true,
  sign: hexSignature('x-gateway-signature'),
  amountText: String,
  withoutConsequence: (body) =>
    body.replace(/"(?:payment\.captured|order\.paid)"/, '"payment.authorized"'),
  mandateToken: (word) => `mandate-${word}`,
};

const cashfree: GatewayDriver = {
  code: 'cashfree',
  collaborator: 'cashfree',
  timeoutVariable: 'CASHFREE_TIMEOUT_MS',
  secretsVariable: 'CASHFREE_WEBHOOK_SECRETS',
  secret: sandboxDefaults.cashfreeWebhookSecrets.join(','),
  signatureHeader: 'x-webhook-signature',
  signsCheckout: false,
  hasCheckoutSession: true,
  sign(body, secret) {
    const timestamp = '1767585600000';
    const hmac = createHmac('sha256', secret).update(`${timestamp}${body}`);
    return { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': hmac.digest('base64') };
  },
  amountText: (amountPaise) => formatRupees(fromSafePaise(amountPaise)),
  withoutConsequence: (body) => body.replace('PAYMENT_SUCCESS_WEBHOOK', 'PAYMENT_CHARGES_WEBHOOK'),
  mandateToken: (word) => `mandate-${word}`,
};

const razorpay: GatewayDriver = {
  code: 'razorpay',
  collaborator: 'razorpay',
  timeoutVariable: 'RAZORPAY_TIMEOUT_MS',
  secretsVariable: 'RAZORPAY_WEBHOOK_SECRETS',
  secret: sandboxDefaults.razorpayWebhookSecrets.join(','),
  signatureHeader: 'x-razorpay-signature',
  signsCheckout: true,
  sign: hexSignature('x-razorpay-signature'),
  amountText: String,
  withoutConsequence: (body) =>
    body.replace(/"(?:payment\.captured|order\.paid)"/, '"payment.authorized"'),
  mandateToken: (word) => `cust_asha/token_${word}`,
};

/** A new gateway is a row here. */
export const gatewayDrivers: readonly GatewayDriver[] = [sandbox, razorpay, cashfree];
