import { readPages } from './read-pages.ts';

/** The pages that goldctl shows. The build replaces this file by their texts. */
export const pages = readPages();
