import { inflateSync } from 'node:zlib';

/** Returns the texts of a PDF in the order in which they are drawn, one for each piece of a line. */
export const readPdf = (file: Buffer): string[] => {
  const whole = file.toString('latin1');
  const streams = [...whole.matchAll(/stream\r?\n/gu)].flatMap(({ index, 0: { length } }) => {
    const end = whole.indexOf('endstream', index);
    try {
      return [inflateSync(file.subarray(index + length, end)).toString('latin1')];
    } catch {
      return []; // Not a compressed one.
    }
  });
  return streams.flatMap((stream) =>
    [...stream.matchAll(/\[((?:<[0-9a-f]*>|[\s\d.-])*)\]\s*TJ/gu)].map(([, shown = '']) =>
      [...shown.matchAll(/<([0-9a-f]*)>/gu)]
        .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
        .join(''),
    ),
  );
};
