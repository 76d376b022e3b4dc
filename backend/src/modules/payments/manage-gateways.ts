import type { Clock } from '../../platform/clock/clock.ts';
import type { Db, InTransaction } from '../../platform/db/index.ts';
import { AppError } from '../../platform/errors/app-error.ts';
import type { RequestContext } from '../../platform/http/index.ts';
import { adminActor, type AdminPrincipal } from '../admins/index.ts';
import type { Auditor } from '../audit/index.ts';
import { defaultGatewayOf } from './choose-gateway.ts';
import {
  lockGatewaySettings,
  readGatewaySettings,
  settingOf,
  writeGatewayRouting,
  writeGatewaySetting,
  type GatewayRouting,
  type GatewaySettings,
} from './gateway-settings.store.ts';
import type { GatewayPatch, GatewaysView, GatewayView } from './gateways.schemas.ts';
import type { GatewaysByCode } from './payments.types.ts';

export interface ManageGatewaysDeps {
  readonly db: Db;
  readonly inTransaction: InTransaction;
  readonly clock: Clock;
  readonly audit: Auditor;
  /** The gateways that the environment configures. */
  readonly gateways: GatewaysByCode;
  /** Every gateway that has an adapter, configured or not. */
  readonly codes: readonly string[];
  /** Those whose credentials do not fit the installation; none unless given. */
  readonly barred?: ReadonlySet<string>;
}

/** The operator who changes something, and their request. */
interface By {
  readonly principal: AdminPrincipal;
  readonly context: RequestContext;
}

/**
 * Creates what operators do with payment gateways (contract: operators > Payment gateways). Every
 * write locks the settings, and has its audit row in the same transaction. A write may leave no
 * gateway that can be chosen: readiness shows it, and buying says so.
 */
export const createManageGateways = (deps: ManageGatewaysDeps) => {
  const { db, inTransaction, clock, audit, gateways, codes, barred = new Set() } = deps;

  const presentOne = (settings: GatewaySettings, code: string): GatewayView => {
    const { defaultCode } = settings.routing;
    const { enabled, mode } = settingOf(settings, code);
    const isDefault = code === (defaultCode ?? defaultGatewayOf(gateways, settings.routing));
    const credentialsConfigured = gateways.has(code) || barred.has(code);
    return { code, enabled, mode, credentialsConfigured, isDefault };
  };

  const presentAll = (settings: GatewaySettings): GatewaysView => ({
    items: codes.map((code) => presentOne(settings, code)),
    priority: [...settings.routing.priority],
    routes: { ...settings.routing.routes },
  });

  const requireCode = (code: string): void => {
    if (!codes.includes(code)) throw new AppError('NOT_FOUND');
  };

  /** Replaces a part of the routing. */
  const route = async (
    action: 'default' | 'priority' | 'routes',
    change: Partial<GatewayRouting>,
    { principal, context }: By,
  ): Promise<GatewaysView> => {
    await inTransaction(async (tx) => {
      await lockGatewaySettings(tx);
      const { routing } = await readGatewaySettings(tx);
      const next = { ...routing, ...change };
      await writeGatewayRouting(tx, next, { at: clock.now(), by: principal.adminId });
      const partOf = ({ defaultCode, priority, routes }: GatewayRouting) =>
        ({
          default: { code: defaultCode },
          priority: { codes: [...priority] },
          routes: { ...routes },
        })[action];
      await audit.record(tx, {
        action: `payment_gateways.${action}.replace`,
        ...adminActor(principal, context),
        target: { type: 'payment_gateways', id: action },
        before: partOf(routing),
        after: partOf(next),
      });
    });
    return presentAll(await readGatewaySettings(db));
  };

  return {
    async list(): Promise<GatewaysView> {
      return presentAll(await readGatewaySettings(db));
    },

    /** @throws AppError NOT_FOUND */
    async find(code: string): Promise<GatewayView> {
      requireCode(code);
      return presentOne(await readGatewaySettings(db), code);
    },

    /** @throws AppError NOT_FOUND, GATEWAY_CREDENTIALS_BARRED */
    async change(code: string, patch: GatewayPatch, by: By): Promise<GatewayView> {
      requireCode(code);
      if (patch.mode === 'live' && barred.has(code)) {
        throw new AppError('GATEWAY_CREDENTIALS_BARRED');
      }
      const { principal, context } = by;
      await inTransaction(async (tx) => {
        await lockGatewaySettings(tx);
        const before = settingOf(await readGatewaySettings(tx), code);
        const after = { ...before, ...patch };
        await writeGatewaySetting(tx, code, after, { at: clock.now(), by: principal.adminId });
        await audit.record(tx, {
          action: 'payment_gateway.change',
          ...adminActor(principal, context),
          target: { type: 'payment_gateway', id: code },
          before: { ...before },
          after: { ...after },
        });
      });
      return presentOne(await readGatewaySettings(db), code);
    },

    setDefault: (defaultCode: string, by: By) => route('default', { defaultCode }, by),
    setPriority: (priority: readonly string[], by: By) => route('priority', { priority }, by),
    setRoutes: (routes: GatewayRouting['routes'], by: By) => route('routes', { routes }, by),
  };
};
