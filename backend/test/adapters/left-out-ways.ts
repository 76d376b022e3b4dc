export type Row = Readonly<Record<string, unknown>>;

/** The ways in which a collaborator may leave a field out. */
export const leftOutWays: readonly [string, (row: Row, name: string) => Row][] = [
  [
    'absent',
    (row, name) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== name)),
  ],
  ['null', (row, name) => ({ ...row, [name]: null })],
  ['empty', (row, name) => ({ ...row, [name]: '' })],
];
