/** The kinds of store whose connections production holds to TLS and a password. */
export type Store = 'database' | 'cache';

const encryptingModes: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);
const trueTexts: ReadonlySet<string> = new Set(['true', '1']);

const isEncrypted = (url: URL, store: Store): boolean => {
  if (store === 'cache') return url.protocol === 'rediss:';
  // Every one of them: of two that disagree the driver takes the last.
  const modes = url.searchParams.getAll('sslmode');
  const switches = url.searchParams.getAll('ssl');
  // In libpq's own reading `require` takes any certificate; the driver's checks it.
  if (url.searchParams.has('uselibpqcompat') && modes.includes('require')) return false;
  return (
    modes.length + switches.length > 0 &&
    modes.every((mode) => encryptingModes.has(mode)) &&
    switches.every((text) => trueTexts.has(text))
  );
};

/** Returns true for an address whose connection is encrypted and asks for a password. */
export const isSecuredStore = (address: string, store: Store): boolean => {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.password !== '' && isEncrypted(url, store);
};
