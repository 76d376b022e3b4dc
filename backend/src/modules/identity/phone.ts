import { z } from 'zod';

const pattern = /^(?:\+91)?[6-9]\d{9}$/u;

/**
 * An Indian mobile number: `+91` and ten digits from 6 to 9 first. Ten bare digits are accepted;
 * what comes out always has its `+91` (decisions, section 4, Phone).
 */
export const phoneSchema = z
  .string('must be text')
  .regex(pattern, 'must be a mobile number: +91 and ten digits, the first from 6 to 9')
  .transform((text) => (text.startsWith('+91') ? text : `+91${text}`));
