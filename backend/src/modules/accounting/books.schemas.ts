import { z } from 'zod';
import { istDay, pageOf, pageQuery, plainLine, plainText } from '../../platform/http/index.ts';
import { isInOrder, outOfOrder, registerFields } from '../registers/index.ts';
import type { StatutoryRow } from '../statutory/index.ts';

const keySchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,63}$/u, 'must be a name such as gst_rate_bps');

export const statutoryQuery = pageQuery
  .extend({ ...registerFields, key: keySchema.optional() })
  .refine(isInOrder, outOfOrder);
export const statutoryParams = z.object({ key: keySchema });
export const statutoryBody = z.object({
  value: plainLine(500),
  effectiveFrom: istDay,
  note: plainText(2000).nullish(),
});
export const statutoryView = z.object({
  id: z.uuid(),
  key: z.string(),
  value: z.string(),
  effectiveFrom: z.iso.date(),
  note: z.string().nullable(),
  createdBy: z.uuid().nullable(),
  createdAt: z.iso.datetime(),
});
export const statutoryPage = pageOf(statutoryView);

const dateOf = (midnight: Date): string => midnight.toISOString().slice(0, 10);

export const presentStatutory = ({ effectiveFrom, createdAt, ...row }: StatutoryRow) => ({
  ...row,
  effectiveFrom: dateOf(effectiveFrom),
  createdAt: createdAt.toISOString(),
});

export const policyQuery = pageQuery
  .extend({ ...registerFields, topic: z.string().trim().min(1).max(100).optional() })
  .refine(isInOrder, outOfOrder);
export const policyBody = z.object({
  topic: plainLine(100),
  determination: plainText(5000),
  basis: plainText(5000),
  effectiveFrom: istDay,
  reference: plainLine(500).nullish(),
});
export const policyView = z.object({
  id: z.uuid(),
  topic: z.string(),
  determination: z.string(),
  basis: z.string(),
  reference: z.string().nullable(),
  effectiveFrom: z.iso.date(),
  createdBy: z.uuid(),
  createdAt: z.iso.datetime(),
});
export const policyPage = pageOf(policyView);

export interface PolicyRow {
  readonly id: string;
  readonly topic: string;
  readonly determination: string;
  readonly basis: string;
  readonly reference: string | null;
  readonly effectiveFrom: Date;
  readonly createdBy: string;
  readonly createdAt: Date;
}

export const presentPolicy = ({ effectiveFrom, createdAt, ...row }: PolicyRow) => ({
  ...row,
  effectiveFrom: dateOf(effectiveFrom),
  createdAt: createdAt.toISOString(),
});
