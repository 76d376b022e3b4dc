/**
 * Loaded before a process where traces are wanted: `node --import ./dist/otel/main.js ...` with
 * OTEL_EXPORTER_OTLP_ENDPOINT set. It costs a process without it nothing.
 */
export * from '../../platform/observability/otel.ts';
