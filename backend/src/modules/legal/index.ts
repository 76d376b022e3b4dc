export { policyVersionInForce } from './legal.read-model.ts';
