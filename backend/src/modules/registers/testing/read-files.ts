import { inflateRawSync } from 'node:zlib';

/** Parses a CSV file by RFC 4180. Records end with CRLF, and quotes are doubled. */
export const parseCsv = (text: string): string[][] => {
  const records: string[][] = [];
  let [field, record]: [string, string[]] = ['', []];
  for (let at = 0; at < text.length;) {
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) throw new Error('an open quote');
        field += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        field += '"';
        at += 1;
      }
    } else {
      const plain = /[^",\r\n]*/uy;
      plain.lastIndex = at;
      field += plain.exec(text)?.[0] ?? '';
      at = plain.lastIndex;
    }
    if (text[at] === ',') {
      record.push(field);
      field = '';
      at += 1;
      if (at === text.length) throw new Error('a record without an end');
    } else if (text.startsWith('\r\n', at)) {
      records.push([...record, field]);
      [field, record] = ['', []];
      at += 2;
    } else throw new Error(`no RFC 4180 at ${at}: ${text.slice(at, at + 20)}`);
  }
  return records;
};

/** Unpacks one file of an archive by the archive's central directory. */
const unzip = (archive: Buffer, wanted: string): string => {
  for (
    let at = archive.indexOf('PK\u0001\u0002');
    at >= 0 && archive.readUInt32LE(at) === 0x02014b50;
  ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) =>
      archive.readUInt16LE(at + place),
    ) as [number, number, number]; // one of each
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (name === wanted) {
      const local = archive.readUInt32LE(at + 42);
      const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
      return inflateRawSync(archive.subarray(data)).toString('utf8');
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`no ${wanted} in the archive`);
};

const unescape = (xml: string): string =>
  xml
    .replaceAll(/&#x([0-9a-f]+);/giu, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

/** Parses the first sheet of a workbook. Numbers are returned as the digits in the file. */
export const parseSheet = (file: Buffer): { text?: string; number?: string }[][] => {
  const xml = unzip(file, 'xl/worksheets/sheet1.xml');
  return [...xml.matchAll(/<row [^>]*>(.*?)<\/row>/gsu)].map(([, row = '']) => {
    const cells: { text?: string; number?: string }[] = [];
    for (const [, letters = '', rest = '', body = ''] of row.matchAll(
      /<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(.*?)<\/c>)/gsu,
    )) {
      const at = letters
        .split('')
        .reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0);
      const text = /<t[^>]*>(.*?)<\/t>/su.exec(body)?.[1];
      const number = /<v>(.*?)<\/v>/su.exec(body)?.[1];
      if (text !== undefined) cells[at - 1] = { text: unescape(text) };
      else if (number !== undefined && !rest.includes('t=')) cells[at - 1] = { number };
    }
    return cells;
  });
};
