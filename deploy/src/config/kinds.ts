import { z } from 'zod';

/** The kinds of value in a stack's configuration. Each message names the allowed values. */

const notText = 'must be text; set it with --type string';

/**
 * Parses a text that the CLI may have turned into another type. Below a path it turns `12` into a
 * number and `true` into a flag. Whole numbers that JavaScript cannot represent exactly are
 * refused.
 */
export const configText = () =>
  z
    .union([z.string(), z.number().refine(Number.isSafeInteger, notText), z.boolean()], {
      error: ({ input }) => (input === undefined ? 'is missing' : notText),
    })
    .transform(String);

/** Parses the name of a Kubernetes object in its narrowest form, a DNS label. */
export const dnsLabel = () =>
  z
    .string()
    .max(63)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u,
      'must be lower-case letters, digits and inner dashes, at most 63 of them',
    );

/** Parses the name of a Kubernetes object whose kind allows dots. */
export const objectName = () =>
  z
    .string()
    .max(253)
    .regex(
      /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/u,
      'must be lower-case letters, digits, inner dashes and dots',
    );

/** Parses a host name of an ingress, without a port. */
export const hostName = () =>
  z
    .string()
    .max(253)
    .regex(
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u,
      'must be a lower-case host name with a dot in it, without a port',
    );

/** Parses an amount of storage in Kubernetes' form. */
export const quantity = () =>
  z.string().regex(/^[1-9]\d*(Mi|Gi|Ti)$/u, 'must be a whole number with Mi, Gi or Ti');

/** Parses the name of an environment variable. */
export const variableName = () =>
  z.string().regex(/^[A-Z][A-Z0-9_]*$/u, 'must be upper-case letters, digits and underscores');

/** Parses a range of IPv4 or IPv6 addresses. */
export const cidr = () =>
  z.union([z.cidrv4(), z.cidrv6()], { error: 'must be a range of addresses, such as 10.0.0.0/8' });
