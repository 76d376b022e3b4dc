/** The parts of WebAssembly that linking the schema engine needs. No library here declares them. */
declare namespace WebAssembly {
  interface Instance {
    readonly exports: Record<string, unknown>;
  }
  const Module: new (bytes: Uint8Array) => object;
  const Instance: new (module: object, imports: Record<string, object>) => Instance;
}
