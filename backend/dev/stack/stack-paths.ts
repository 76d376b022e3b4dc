import { join } from 'node:path';

/** Every place that the local stack writes to, all below one folder that git ignores. */
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

/** The places of a stack whose folder is `home`, `.dev` of the repository unless given. */
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
