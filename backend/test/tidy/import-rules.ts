import { areaOf, type ImportEdge } from './imports.ts';

const isModule = (area: string): boolean => area.startsWith('modules/');
const isApp = (area: string): boolean => area.startsWith('apps/') || area === 'runtime';

/** The generated database client is for platform, modules and apps. */
const mayImport = (from: string, to: string, path: string): boolean => {
  if (from === to) return true;
  if (from === 'money') return false;
  if (from === 'platform') return to === 'money' || to === 'generated';
  if (from === 'adapters') return to === 'platform' || to === 'money';
  if (from === 'apps/sandbox') return to === 'platform' || to === 'money';
  if (isApp(from)) return true;
  if (!isModule(from)) return false;
  if (isModule(to)) return path === `src/${to}/index.ts`;
  if (to === 'adapters') return path.endsWith('/port.ts');
  return to === 'platform' || to === 'money' || to === 'generated';
};

const insteadOf = (from: string, to: string): string => {
  if (isApp(to)) return 'nobody imports an app: take what is needed as an argument, the app wires';
  if (from === 'money') return 'money imports nothing: pass the value in';
  if (from === 'platform') return 'platform knows no domain words: move the code up, or inject it';
  if (from === 'apps/sandbox') return 'the sandbox meets the rest over HTTP alone';
  if (isModule(from) && isModule(to)) return `import src/${to}/index.ts, and export it there`;
  if (isModule(from)) return "import the adapter's port.ts, and let the app choose the vendor";
  return 'see "Who may import whom" in the architecture page';
};

/** What is wrong with an import of the service's own code; undefined when nothing is. */
export const problemOfImport = (edge: ImportEdge): string | undefined => {
  const from = areaOf(edge.from);
  if (edge.isPackage) {
    return from === 'money' ? `${edge.from} imports ${edge.to}: money imports nothing` : undefined;
  }
  const to = areaOf(edge.to);
  if (mayImport(from, to, edge.to)) return undefined;
  return `${edge.from} imports ${edge.to}: ${insteadOf(from, to)}`;
};
