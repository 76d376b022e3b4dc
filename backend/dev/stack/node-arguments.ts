/**
 * Node's options for every process of the service, here and in the chart: stack traces that name
 * the source, and a young generation smaller than Node's own, in which garbage grows by some ten
 * megabytes more before it is collected. A smaller one yet costs time (docs/benchmarks.md).
 */
export const nodeArguments: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=8'];
