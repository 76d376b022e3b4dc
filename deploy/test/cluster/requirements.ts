import { runCommand } from './run-command.ts';

const programs = [
  ['pulumi', ['version']],
  ['kubectl', ['version', '--client']],
  ['helm', ['version']],
  ['openssl', ['version']],
  ['psql', ['--version']],
  ['pg_restore', ['--version']],
] as const;

/** Returns what the run needs and this machine lacks, each as a part of a sentence. */
export const missingRequirements = async (image: string | undefined): Promise<string[]> => {
  const missing: string[] = [];
  for (const [program, args] of programs) {
    const { code } = await runCommand(program, args);
    if (code !== 0) missing.push(`${program} on the PATH`);
  }
  if (!missing.some((one) => one.startsWith('kubectl'))) {
    const { code } = await runCommand('kubectl', [
      'get',
      '--raw',
      '/readyz',
      '--request-timeout=5s',
    ]);
    if (code !== 0) missing.push('a cluster that the kubeconfig reaches');
  }
  if (image === undefined) missing.push("the backend's image in CLUSTER_IMAGE, as name:tag");
  return missing;
};
