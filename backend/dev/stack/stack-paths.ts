import { join } from 'node:path';

/** The paths of the local stack. It writes only below one folder that git ignores. */
export interface StackPaths {
  readonly repository: string;
  readonly backend: string;
  /** The built processes, `<app>/main.js` each. */
  readonly dist: string;
  readonly home: string;
  readonly logs: string;
  /** A record of each running process. */
  readonly run: string;
  readonly settings: string;
  readonly objects: string;
  readonly redisData: string;
  /** The records of the sandbox. */
  readonly sandboxData: string;
  readonly endpointsFile: string;
  readonly environmentFile: string;
}

/** Returns the paths of a stack whose folder is `home`, by default `.dev` of the repository. */
export const stackPaths = (repository: string, home = join(repository, '.dev')): StackPaths => ({
  repository,
  backend: join(repository, 'backend'),
  dist: join(repository, 'backend', 'dist'),
  home,
  logs: join(home, 'logs'),
  run: join(home, 'run'),
  settings: join(home, 'settings'),
  objects: join(home, 'objects'),
  redisData: join(home, 'redis'),
  sandboxData: join(home, 'sandbox'),
  endpointsFile: join(home, 'endpoints.json'),
  environmentFile: join(home, 'env'),
});
