import { AppError } from '../errors/app-error.ts';

/** A transition that a machine allows. */
interface Transition<ActorKind extends string = string> {
  /**
   * The kinds of actors that may make it. A kind is the part before the colon, such as `gateway` of
   * `gateway:sandbox`.
   */
  readonly allowedActors: readonly ActorKind[];
  /** Explains the transition to readers of the table. */
  readonly reason: string;
}

/**
 * Every transition that rows of one kind may make. Each state is a key, and a final state has `{}`,
 * so that a new state does not compile before its transitions are declared.
 */
export type TransitionTable<State extends string, ActorKind extends string = string> = Readonly<
  Record<State, Readonly<Partial<Record<State, Transition<ActorKind>>>>>
>;

/** Returns the kind of an actor: `gateway` of `gateway:sandbox`, `worker` of `worker`. */
export const actorKindOf = (actor: string): string => actor.split(':', 1)[0] ?? '';

interface Step<State extends string> {
  readonly from: State;
  readonly to: State;
  readonly actor: string;
}

/** Returns true when the table has this transition for this actor. */
export const allowsTransition = <State extends string>(
  table: TransitionTable<State>,
  { from, to, actor }: Step<State>,
): boolean => table[from][to]?.allowedActors.includes(actorKindOf(actor)) === true;

interface TransitionLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A state machine. */
export interface Machine<State extends string> {
  /** The name of a row in log messages, such as `gold order`. */
  readonly name: string;
  /** The log's field for a row's id, such as `orderId`. */
  readonly idField: string;
  readonly table: TransitionTable<State>;
  readonly logger: TransitionLogger;
}

interface TransitionRequest<State extends string> extends Step<State> {
  readonly id: string;
  /** The event that caused it, as stored in the history, such as `payment.captured`. */
  readonly cause: string;
  /**
   * Updates the row if its state is still `from`, in the caller's transaction, and returns the
   * number of updated rows.
   */
  readonly update: () => Promise<number>;
  /** Writes the row of the history, for a machine that has one. */
  readonly recordHistory?: () => Promise<void>;
}

const refuse = <State extends string>(
  { name, logger }: Machine<State>,
  fields: { readonly from: State | readonly State[]; readonly to: State },
  why: string,
  known: { readonly status?: State } = {},
): never => {
  const { from, to } = fields;
  logger.error({ ...fields, why }, `a transition of a ${name} was refused`);
  throw new AppError('ILLEGAL_TRANSITION', { details: { ...known, from, to } });
};

const fieldsOf = <State extends string>(
  { idField }: Machine<State>,
  { id, from, to, actor, cause }: TransitionRequest<State>,
) => ({ [idField]: id, from, to, cause, actor });

/**
 * Changes the state of a row if it is still in `from`, and returns false otherwise. It is for
 * callers for whom another state is no error. In all else it is like `transition`.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, if the table does not have it for this
 * actor
 */
export const tryTransition = async <State extends string>(
  machine: Machine<State>,
  request: TransitionRequest<State>,
): Promise<boolean> => {
  const fields = fieldsOf(machine, request);
  if (!allowsTransition(machine.table, request)) {
    const { from: status } = request;
    return refuse(machine, fields, 'not in the table for this actor', { status });
  }
  if ((await request.update()) !== 1) return false;
  await request.recordHistory?.();
  machine.logger.info(fields, `${machine.name} changed state`);
  return true;
};

/**
 * Changes the state of a row. The machine's table must allow the transition. The update is
 * conditional on the state in which the row was read, and its count is checked, so that only one of
 * two racing transitions happens. The history is written in the same transaction.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, if the table does not allow the transition
 * for this actor or the row was in another state
 */
export const transition = async <State extends string>(
  machine: Machine<State>,
  request: TransitionRequest<State>,
): Promise<void> => {
  if (await tryTransition(machine, request)) return;
  refuse(machine, fieldsOf(machine, request), 'the row was in another state');
};

/** A transition of many rows. */
export interface TransitionOfMany<State extends string> extends Omit<Step<State>, 'from'> {
  /** The states of the rows that `update` changes. */
  readonly from: readonly State[];
  readonly cause: string;
  /** The log fields that identify the owner of the rows. It is absent if they have no owner. */
  readonly of?: Readonly<Record<string, string>>;
  /** Updates the rows that are in one of these states, and returns their number. */
  readonly update: () => Promise<number>;
}

/**
 * Changes the state of many rows by one conditional update. Rows in any other state stay unchanged.
 * Returns the number of changed rows.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, if the table does not allow the transition
 * for this actor from every one of the states
 */
export const transitionMany = async <State extends string>(
  machine: Machine<State>,
  { from, to, actor, cause, of, update }: TransitionOfMany<State>,
): Promise<number> => {
  const { name, table, logger } = machine;
  const fields = { ...of, from, to, cause, actor };
  if (!from.every((state) => allowsTransition(table, { from: state, to, actor }))) {
    return refuse(machine, fields, 'not in the table for this actor');
  }
  const count = await update();
  if (count > 0) logger.info({ ...fields, count }, `${name}s changed state`);
  return count;
};
