import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, tryTool } from '../tools/run-tool.ts';

/** The release before: what HOLD_FROM names, else the newest tag, else the commit before. */
const findRelease = async (repository: string): Promise<string> => {
  const named = process.env['HOLD_FROM'] ?? '';
  if (named !== '') return named;
  const tag = await tryTool('git', ['describe', '--tags', '--abbrev=0'], { cwd: repository });
  return tag.code === 0 ? tag.stdout.trim() : 'HEAD~1';
};

interface PreviousChart {
  readonly release: string;
  /** The chart's folder. */
  readonly path: string;
  remove(): void;
}

/** Takes the chart of the release before out of the repository's history. */
export const takePreviousChart = async (repository: string): Promise<PreviousChart> => {
  const release = await findRelease(repository);
  const folder = mkdtempSync(join(tmpdir(), 'chart-'));
  const archive = join(folder, 'chart.tar');
  const from = ['archive', '--output', archive, release, 'charts/digital-gold'];
  await runTool('git', from, { cwd: repository });
  await runTool('tar', ['--extract', '--file', archive, '--directory', folder]);
  return {
    release,
    path: join(folder, 'charts', 'digital-gold'),
    remove: () => rmSync(folder, { recursive: true }),
  };
};
