export {
  heldElsewhere,
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Found,
  type Undone,
} from './collaborator-call.ts';
export { createCallSweep } from './create-call-sweep.ts';
export { makeCall, readFound, type CallDeps } from './make-call.ts';
