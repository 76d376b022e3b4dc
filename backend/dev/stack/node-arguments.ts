/**
 * Node's options for every process of the service, here and in the chart: stack traces that name
 * the source, and a small young generation. With its default size, garbage grows to tens of
 * megabytes in each process before any of it is collected.
 */
export const nodeArguments: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=4'];
