import type { OxlintConfig, OxlintOverride } from 'oxlint';

/* What may not be imported, and what to do in its place. A pattern with `!` is allowed all the same. */

const outside = 'Code of the service imports nothing outside of backend/src.';
const belowTopFolder = {
  group: ['**/dev/**', '**/test/**', '**/bench/**', '#test/**'],
  message: outside,
};
const above = (folder: string, ...allowed: readonly string[]) => ({
  group: [`${folder}/**`, ...allowed, '#test/**'],
  message: outside,
});
const apps = (...others: readonly string[]) => ({
  group: ['**/apps/**', ...others],
  message: 'Nobody imports an app: take what is needed as an argument; the app wires it.',
});
const otherApps = {
  group: ['../[a-z]*/**'],
  message: 'No app imports another: what two need is in src/runtime or a module.',
};
const vendors = (adapters: string) => ({
  group: [`${adapters}/**`, `!${adapters}/**/port.ts`],
  message: "Import the adapter's port.ts; the app chooses the vendor.",
});
const insideOf = (modules: string) => ({
  group: [`${modules}/[a-z]*/**`, `!${modules}/[a-z]*/index.ts`],
  message: 'Import another module through its index.ts, and export there what it offers.',
});
const otherWorkspaces = {
  group: ['**/cli/**', '**/charts/**', '**/deploy/**', '**/loadtests/**', '**/client/src/**'],
  message: 'Another workspace is met by its package, @digital-gold/client, or run.',
};
const overApis = (...group: string[]) => ({
  group,
  message: 'Other workspaces talk to the APIs, or run a command of the backend.',
});
const aboveClient = (folder: string) => ({
  group: [`${folder}/**`, '#test/**', '@digital-gold/**'],
  message: "The client knows the APIs' documents alone: every workspace may import it.",
});

interface Ban {
  readonly group: string[];
  readonly message: string;
}

interface Boundary {
  /** The files that are left out. */
  readonly but?: string[];
  readonly bans: Ban[];
}

const testFiles = ['**/*.test.ts'];
const testCode = [...testFiles, '**/*.arbitraries.ts', '**/testing/**'];

const notInSandbox = [
  'modules',
  'adapters',
  'runtime',
  'generated',
  'admin',
  'accounting',
  'customer',
  'worker',
  'migrate',
  'operator',
  'otel',
  'seed',
];

/** The imports that are refused in the files of a pattern. The last pattern of a file counts alone. */
const boundaries: Readonly<Record<string, Boundary>> = {
  'backend/src/money/**': {
    but: testCode,
    bans: [{ group: ['**', '!./*'], message: 'Money imports nothing: pass the value in.' }],
  },
  'backend/src/errors/**': {
    bans: [
      {
        group: ['**'],
        message: 'The table of errors imports nothing: every part may import it.',
      },
    ],
  },
  'backend/src/platform/**': {
    but: testCode,
    bans: [
      {
        group: ['**/modules/**', '**/adapters/**', '**/apps/**', '**/runtime/**'],
        message: 'The platform knows no domain words: move the code up, or inject it.',
      },
      belowTopFolder,
    ],
  },
  'backend/src/adapters/**': {
    but: testCode,
    bans: [
      {
        group: ['**/modules/**', '**/apps/**', '**/runtime/**', '**/generated/**'],
        message: 'An adapter knows platform and money alone: it implements its port.',
      },
      belowTopFolder,
    ],
  },
  'backend/src/modules/*/*.ts': {
    but: testCode,
    bans: [apps('**/runtime/**'), vendors('../../adapters'), insideOf('..'), above('../../..')],
  },
  'backend/src/modules/*/*/*.ts': {
    but: testCode,
    bans: [
      apps('**/runtime/**'),
      vendors('../../../adapters'),
      insideOf('../..'),
      above('../../../..'),
    ],
  },
  'backend/src/runtime/**': { but: testCode, bans: [apps(), above('../..')] },
  'backend/src/apps/*/*.ts': { but: testCode, bans: [otherApps, above('../../..')] },
  'backend/src/apps/seed/*.ts': {
    but: testCode,
    bans: [otherApps, above('../../..', '!../../../dev/stack/development-accounts.ts')],
  },
  'backend/src/apps/sandbox/**': {
    but: testCode,
    bans: [
      {
        group: notInSandbox.map((folder) => `**/${folder}/**`),
        message: 'The sandbox knows platform and money alone: it meets the rest over HTTP.',
      },
      belowTopFolder,
    ],
  },
  'backend/dev/**': {
    but: testFiles,
    bans: [
      {
        group: ['**/test/**', '**/bench/**', '#test/**'],
        message: 'Tests and benchmarks stand on the tools of development, not they on those.',
      },
      otherWorkspaces,
    ],
  },
  'backend/bench/**': { bans: [otherWorkspaces] },
  'backend/test/**': { bans: [otherWorkspaces] },
  'backend/client/*.ts': { bans: [aboveClient('..')] },
  'backend/client/*/*.ts': { bans: [aboveClient('../..')] },
  'charts/demo/**': {
    bans: [
      {
        group: ['**/backend/**', '!@digital-gold/backend/demo'],
        message:
          'The cluster demo may import only @digital-gold/backend/demo from the backend (ADR 0028).',
      },
      overApis('**/cli/**', '**/deploy/**', '**/loadtests/**'),
    ],
  },
  'cli/src/**': {
    but: testFiles,
    bans: [
      {
        group: ['**/backend/**', '!@digital-gold/backend/github'],
        message:
          'Goldctl talks to the APIs, or runs a command of the backend; of its code it may import only @digital-gold/backend/github (ADR 0093).',
      },
    ],
  },
  'deploy/**': { but: testFiles, bans: [overApis('**/backend/**')] },
  'loadtests/**': { but: testFiles, bans: [overApis('**/backend/**')] },
};

const toOverride = ([files, { but = [], bans }]: [string, Boundary]): OxlintOverride => ({
  files: [files],
  excludeFiles: but,
  rules: { 'no-restricted-imports': ['error', { patterns: bans }] },
});

const config: OxlintConfig = {
  plugins: ['typescript', 'unicorn', 'import', 'promise', 'node', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    'no-console': 'error',
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-default-export': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': [
      'error',
      { 'ts-ignore': true, 'ts-nocheck': true, 'ts-expect-error': true, 'ts-check': false },
    ],
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    'max-lines-per-function': ['error', { max: 70 }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    // A file's own `it`, extended by fixtures, is a test as well.
    'vitest/no-standalone-expect': [
      'error',
      {
        additionalTestBlockFunctions: ['it', 'it.for', 'it.each', 'it.beforeEach', 'it.afterEach'],
      },
    ],
  },
  overrides: [
    // To Pulumi, `new` is what adds a resource to the stack.
    { files: ['charts/examples/**'], rules: { 'no-new': 'off' } },
    { files: ['**/*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['**/*.test.ts', '**/test/**'], rules: { 'max-lines-per-function': 'off' } },
    ...Object.entries(boundaries).map(toOverride),
  ],
  ignorePatterns: [
    'node_modules',
    'dist',
    '.dev',
    '.tools',
    'backend/src/generated',
    'backend/client/src/generated',
    'coverage',
  ],
};

export default config;
