/**
 * Node's options for every process of the service, here and in the chart. Stack traces name the
 * source. The young generation is smaller than Node's default, which would let garbage grow by some
 * ten megabytes more before it is collected. An even smaller one costs time (docs/benchmarks.md).
 */
export const nodeArguments: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=8'];
