import { readPages } from './read-pages.ts';

/** The pages that goldctl shows. The build puts their text in the place of this file. */
export const pages = readPages();
