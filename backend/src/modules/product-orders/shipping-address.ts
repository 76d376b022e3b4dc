import { z } from 'zod';
import type { Sealer } from '../../platform/crypto/index.ts';
import { plainLine, plainName } from '../../platform/http/index.ts';
import { phoneSchema } from '../identity/index.ts';
import type { ProductOrder, ShippingAddress } from './product-orders.types.ts';

const exampleAddress = {
  name: 'Asha Rao',
  phone: '+919876543210',
  line1: '12 MG Road',
  city: 'Bengaluru',
  state: 'Karnataka',
  pincode: '560001',
};

/** An address as customers send it. Each field is one line of plain text. */
export const shippingAddressBody = z.object({
  name: plainName(100),
  phone: phoneSchema,
  line1: plainLine(200),
  line2: plainLine(200).optional(),
  city: plainName(100),
  state: plainName(100),
  pincode: z
    .string('must be text')
    .regex(/^[1-9][0-9]{5}$/u, 'must be six digits, the first not 0'),
});
shippingAddressBody.register(z.globalRegistry, {
  id: 'ShippingAddressRequest',
  description: 'The address in India to deliver to.',
  examples: [exampleAddress],
});

/** An address as it is shown to the customer and to operators. */
export const shippingAddressView = z.object({
  name: z.string(),
  phone: z.string(),
  line1: z.string(),
  line2: z.string().optional(),
  city: z.string(),
  state: z.string(),
  pincode: z.string(),
});
shippingAddressView.register(z.globalRegistry, {
  id: 'ShippingAddress',
  description: 'The address to which an order is delivered.',
  examples: [exampleAddress],
});

const contextOf = (orderId: string) => ({
  purpose: 'product-orders',
  column: 'product_order.shipping_address',
  row: orderId,
});

/** Seals the address of an order with the customer's key. */
export const sealAddress = (sealer: Sealer, orderId: string, address: ShippingAddress): string =>
  sealer.seal(JSON.stringify(address), contextOf(orderId));

/**
 * Opens the address of an order. Returns undefined if the customer's account was deleted, because the key
 * and the address are then erased.
 */
export const openAddress = (
  sealer: Sealer | undefined,
  { id, shippingAddressSealed }: Pick<ProductOrder, 'id' | 'shippingAddressSealed'>,
): ShippingAddress | undefined => {
  if (sealer === undefined || shippingAddressSealed === '') return undefined;
  return shippingAddressView.parse(JSON.parse(sealer.open(shippingAddressSealed, contextOf(id))));
};
