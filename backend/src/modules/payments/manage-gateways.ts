import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import { adminActor, type ByOperator } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { defaultGatewayOf } from './choose-gateway.ts';
import {
  lockGatewaySettings,
  readGatewaySettings,
  settingOf,
  upsertGatewayRouting,
  upsertGatewaySetting,
  type GatewayRouting,
  type GatewaySettings,
} from './gateway-settings.store.ts';
import type { GatewayPatch, GatewaysView, GatewayView } from './gateways.schemas.ts';
import type { GatewaysByCode } from './payments.types.ts';

/** The dependencies of administering payment gateways. */
export interface ManageGatewaysDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  /** The gateways that the environment configures. */
  readonly gateways: GatewaysByCode;
  /** Every gateway that has an adapter, configured or not. */
  readonly codes: readonly string[];
  /** The gateways whose credentials do not fit the installation. Absent if there are none. */
  readonly barred?: ReadonlySet<string>;
}

const isBarred = ({ barred }: ManageGatewaysDeps, code: string): boolean =>
  barred?.has(code) ?? false;

const presentGateway = (
  deps: ManageGatewaysDeps,
  settings: GatewaySettings,
  code: string,
): GatewayView => {
  const { gateways } = deps;
  const { defaultCode } = settings.routing;
  const { enabled, mode } = settingOf(settings, code);
  const isDefault = code === (defaultCode ?? defaultGatewayOf(gateways, settings.routing));
  const credentialsConfigured = gateways.has(code) || isBarred(deps, code);
  return { code, enabled, mode, credentialsConfigured, isDefault };
};

const requireCode = ({ codes }: ManageGatewaysDeps, code: string): void => {
  if (!codes.includes(code)) throw new AppError('NOT_FOUND');
};

/** Returns every payment gateway, and the order in which gateways are chosen. */
export const readGateways = async (deps: ManageGatewaysDeps): Promise<GatewaysView> => {
  const settings = await readGatewaySettings(deps.db);
  return {
    items: deps.codes.map((code) => presentGateway(deps, settings, code)),
    priority: [...settings.routing.priority],
    routes: { ...settings.routing.routes },
  };
};

/**
 * Returns one payment gateway.
 * @throws AppError NOT_FOUND
 */
export const readGateway = async (deps: ManageGatewaysDeps, code: string): Promise<GatewayView> => {
  requireCode(deps, code);
  return presentGateway(deps, await readGatewaySettings(deps.db), code);
};

/**
 * Enables or disables a gateway, or sets its mode (contract: operators > Payment gateways). The
 * settings are locked, and the audit row is written in the same transaction. The change may leave
 * no usable gateway. Readiness then reports it, and purchases are refused.
 * @throws AppError NOT_FOUND, GATEWAY_CREDENTIALS_BARRED
 */
export const changeGateway = async (
  deps: ManageGatewaysDeps,
  code: string,
  patch: GatewayPatch,
  { principal, context }: ByOperator,
): Promise<GatewayView> => {
  const { inTransaction, clock, audit } = deps;
  requireCode(deps, code);
  if (patch.mode === 'live' && isBarred(deps, code)) {
    throw new AppError('GATEWAY_CREDENTIALS_BARRED');
  }
  await inTransaction(async (tx) => {
    await lockGatewaySettings(tx);
    const before = settingOf(await readGatewaySettings(tx), code);
    const after = { ...before, ...patch };
    await upsertGatewaySetting(tx, code, after, { at: clock.now(), by: principal.adminId });
    await audit.record(tx, {
      action: 'payment_gateway.change',
      ...adminActor(principal, context),
      target: { type: 'payment_gateway', id: code },
      before: { ...before },
      after: { ...after },
    });
  });
  return presentGateway(deps, await readGatewaySettings(deps.db), code);
};

/**
 * Replaces a part of the routing: the default gateway, the priority list or the routes (contract:
 * operators > Payment gateways). The settings are locked, and the audit row is written in the same
 * transaction.
 */
export const replaceRouting = async (
  deps: ManageGatewaysDeps,
  part: 'default' | 'priority' | 'routes',
  change: Partial<GatewayRouting>,
  { principal, context }: ByOperator,
): Promise<GatewaysView> => {
  const { inTransaction, clock, audit } = deps;
  await inTransaction(async (tx) => {
    await lockGatewaySettings(tx);
    const { routing } = await readGatewaySettings(tx);
    const next = { ...routing, ...change };
    await upsertGatewayRouting(tx, next, { at: clock.now(), by: principal.adminId });
    const contentOf = ({ defaultCode, priority, routes }: GatewayRouting) =>
      ({
        default: { code: defaultCode },
        priority: { codes: [...priority] },
        routes: { ...routes },
      })[part];
    await audit.record(tx, {
      action: `payment_gateways.${part}.replace`,
      ...adminActor(principal, context),
      target: { type: 'payment_gateways', id: part },
      before: contentOf(routing),
      after: contentOf(next),
    });
  });
  return readGateways(deps);
};
