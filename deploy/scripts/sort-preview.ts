import { text } from 'node:stream/consumers';
import { sortPreview } from '../src/preview/sort-preview.ts';

process.stdout.write(sortPreview(await text(process.stdin)));
