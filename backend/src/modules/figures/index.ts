export { createFigures } from './create-figures.ts';
