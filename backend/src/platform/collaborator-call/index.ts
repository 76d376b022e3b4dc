export {
  skip,
  type CallProtocol,
  type CallResult,
  type Claim,
  type Undone,
} from './collaborator-call.ts';
export { createCallSweep } from './create-call-sweep.ts';
export { makeCall, type CallDeps } from './make-call.ts';
