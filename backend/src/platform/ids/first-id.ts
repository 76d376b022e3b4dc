/** Sorts before every id, so that a list in the order of ids begins after it. */
export const firstId = '00000000-0000-0000-0000-000000000000';
