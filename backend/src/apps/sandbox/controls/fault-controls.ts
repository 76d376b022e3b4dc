import type { Router } from 'express';
import { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.ts';
import { operationNames } from '../core/collaborator.ts';
import { leftOutForms } from '../core/answer-shape.ts';
import { control, controlBody } from './control.ts';
import type { SandboxParts } from '../sandbox-parts.ts';
import { faultKinds } from '../state/fault-registry.ts';

const maximumDelayMs = 600_000;

const faultSchema = (parts: SandboxParts) => {
  const operationsOf = new Map(
    parts.collaborators.map((collaborator) => [collaborator.name, operationNames(collaborator)]),
  );
  return z
    .object({
      collaborator: z.enum([...operationsOf.keys()]),
      operation: z.string().default('*'),
      fault: z.enum(faultKinds),
      times: z.number().int().min(1).max(1_000_000).default(1),
      status: z.number().int().min(200).max(599).optional(),
      delayMs: z.number().int().min(0).max(maximumDelayMs).optional(),
      form: z.enum(leftOutForms).optional(),
    })
    .superRefine(({ collaborator, operation }, context) => {
      const known = operationsOf.get(collaborator) ?? [];
      if (operation === '*' || known.includes(operation)) return;
      const message = `must be * or one of ${known.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['operation'], message });
    });
};

/** Adds the routes of `/_control/faults`, which inject faults into the calls of a collaborator. */
export const faultControls = (router: Router, parts: SandboxParts): void => {
  const { faults } = parts;
  const schema = faultSchema(parts);
  router.get(
    '/faults',
    control(() => ({ body: { faults: faults.list() } })),
  );
  router.post(
    '/faults',
    control((req) => ({ status: 201, body: faults.add(controlBody(req, schema)) })),
  );
  router.delete(
    '/faults',
    control(() => {
      faults.clear();
      return { body: { faults: [] } };
    }),
  );
  router.delete(
    '/faults/:id',
    control((req) => {
      if (!faults.remove(String(req.params['id']))) throw new AppError('NOT_FOUND');
      return { body: { faults: faults.list() } };
    }),
  );
};
