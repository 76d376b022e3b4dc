/**
 * What every process of the service is started with, here and in the chart: stack traces that name
 * the source, and a small young generation. Node's own lets garbage grow to tens of megabytes for
 * each process before it collects any of it.
 */
export const nodeArguments: readonly string[] = ['--enable-source-maps', '--max-semi-space-size=4'];
