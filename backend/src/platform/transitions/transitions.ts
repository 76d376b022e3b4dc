import { AppError } from '../errors/app-error.ts';

/** One transition that a machine allows. */
interface Transition<ActorKind extends string = string> {
  /** Kinds of actors: the part before the colon, as `gateway` of `gateway:sandbox`. */
  readonly allowedActors: readonly ActorKind[];
  /** Explains the transition to readers of the table. */
  readonly reason: string;
}

/**
 * Every transition that rows of one kind may make. Each state is a key, a final one with `{}`, so
 * that a new state does not compile before its transitions are declared.
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

/** Returns the states from which `to` can be reached: for an update conditional on them. */
export const statesBefore = <State extends string>(
  table: TransitionTable<State>,
  to: State,
): State[] =>
  (Object.keys(table) as State[]) // exactly the keys of the table
    .filter((from) => table[from][to] !== undefined);

interface TransitionLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A machine: what its rows are called in the log, and the table that they are held against. */
export interface Machine<State extends string> {
  /** In the log's messages, such as `gold order`. */
  readonly name: string;
  /** The log's field for a row's id, such as `orderId`. */
  readonly idField: string;
  readonly table: TransitionTable<State>;
  readonly logger: TransitionLogger;
}

export interface TransitionRequest<State extends string> extends Step<State> {
  readonly id: string;
  /** The event behind it, as the history keeps it: `payment.captured`. */
  readonly cause: string;
  /**
   * Updates the row where its state is still `from`, in the caller's transaction, and returns how
   * many rows that were.
   */
  readonly update: () => Promise<number>;
  /** Writes the row of the history, for a machine that has one. */
  readonly recordHistory?: () => Promise<void>;
}

/**
 * Changes the state of one row: the transition is held against the machine's table, the update is
 * conditional on the state in which the row was read, and its count is checked, so that of two
 * transitions that race only one happens. The history is written in the same transaction.
 * @throws AppError ILLEGAL_TRANSITION, after logging it, when the table does not have it for this
 * actor or the row was in another state
 */
export const transition = async <State extends string>(
  { name, idField, table, logger }: Machine<State>,
  request: TransitionRequest<State>,
): Promise<void> => {
  const { id, from, to, actor, cause } = request;
  const fields = { [idField]: id, from, to, cause, actor };
  const refuse = (why: string, known: { readonly status?: State } = {}): never => {
    logger.error({ ...fields, why }, `a transition of a ${name} was refused`);
    throw new AppError('ILLEGAL_TRANSITION', { details: { ...known, from, to } });
  };
  if (!allowsTransition(table, request)) {
    refuse('not in the table for this actor', { status: from });
  }
  if ((await request.update()) !== 1) refuse('the row was in another state');
  await request.recordHistory?.();
  logger.info(fields, `${name} changed state`);
};
