import { z } from 'zod';

/** The kinds of value in a stack's configuration. Each message says what is allowed. */

const notText = 'must be text; set it with --type string';

/**
 * A text that may look like something else: below a path the CLI makes a number of `12` and a flag
 * of `true`. Whole numbers that JavaScript cannot hold exactly are refused.
 */
export const configText = () =>
  z
    .union([z.string(), z.number().refine(Number.isSafeInteger, notText), z.boolean()], {
      error: ({ input }) => (input === undefined ? 'is missing' : notText),
    })
    .transform(String);

/** The name of a Kubernetes object in its narrowest form, a DNS label. */
export const dnsLabel = () =>
  z
    .string()
    .max(63)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u,
      'must be lower-case letters, digits and inner dashes, at most 63 of them',
    );

/** The name of a Kubernetes object whose kind allows dots. */
export const objectName = () =>
  z
    .string()
    .max(253)
    .regex(
      /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/u,
      'must be lower-case letters, digits, inner dashes and dots',
    );

/** A host name of an ingress, without a port. */
export const hostName = () =>
  z
    .string()
    .max(253)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u,
      'must be a lower-case host name with a dot in it, without a port',
    );

/** An amount of storage as Kubernetes writes it. */
export const quantity = () =>
  z.string().regex(/^[1-9]\d*(Mi|Gi|Ti)$/u, 'must be a whole number with Mi, Gi or Ti');

/** The name of an environment variable. */
export const variableName = () =>
  z.string().regex(/^[A-Z][A-Z0-9_]*$/u, 'must be upper-case letters, digits and underscores');

/** A range of addresses, IPv4 or IPv6. */
export const cidr = () =>
  z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a range of addresses, such as 10.0.0.0/8' });
