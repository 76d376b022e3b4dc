import sharp from 'sharp';

/** The side of an image, in pixels. */
const side = 960;

const frame = (content: string): string => `
<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 960 960">
  <defs>
    <radialGradient id="ground" cx="50%" cy="38%" r="80%">
      <stop offset="0" stop-color="#fffaf0"/><stop offset="1" stop-color="#ecdcc2"/>
    </radialGradient>
    <linearGradient id="gold" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#fff1b8"/><stop offset="0.35" stop-color="#e7b93f"/>
      <stop offset="0.6" stop-color="#b9831b"/><stop offset="1" stop-color="#f6d878"/>
    </linearGradient>
  </defs>
  <rect width="960" height="960" fill="url(#ground)"/>
  <ellipse cx="480" cy="800" rx="300" ry="34" fill="#7a5a20" opacity="0.18"/>
  ${content}
</svg>`;

/** Draws a coin with a lotus and, below the lotus, the coin's weight. */
const coin = (grams: string): string => {
  const petals = [-60, -30, 0, 30, 60].map(
    (turn) => `<path d="M480 560 C430 480 440 400 480 340 C520 400 530 480 480 560 Z"
      transform="rotate(${turn} 480 560)" fill="none" stroke="#8a5f10" stroke-width="12"/>`,
  );
  return frame(`
  <circle cx="480" cy="470" r="310" fill="url(#gold)" stroke="#8a5f10" stroke-width="6"/>
  <circle cx="480" cy="470" r="268" fill="none" stroke="#8a5f10" stroke-width="8"
    stroke-dasharray="4 14"/>
  ${petals.join('')}
  <text x="480" y="672" font-family="serif" font-size="74" text-anchor="middle"
    fill="#6b480a">${grams}</text>`);
};

/** A plain band, seen from a little above. */
const band = frame(`
  <ellipse cx="480" cy="500" rx="290" ry="250" fill="none" stroke="url(#gold)" stroke-width="92"/>
  <ellipse cx="480" cy="500" rx="336" ry="296" fill="none" stroke="#8a5f10" stroke-width="5"/>
  <ellipse cx="480" cy="500" rx="244" ry="204" fill="none" stroke="#8a5f10" stroke-width="5"/>
  <path d="M232 400 A 290 250 0 0 1 480 250" fill="none" stroke="#fff8dc" stroke-width="16"
    stroke-linecap="round" opacity="0.8"/>`);

/** A pendant in the form of a temple's tower, on a chain. */
const pendant = frame(`
  <path d="M200 60 Q480 330 760 60" fill="none" stroke="url(#gold)" stroke-width="14"
    stroke-dasharray="22 8" stroke-linecap="round"/>
  <circle cx="480" cy="232" r="34" fill="none" stroke="url(#gold)" stroke-width="18"/>
  <path d="M480 270 L560 400 L610 520 L640 700 L320 700 L350 520 L400 400 Z"
    fill="url(#gold)" stroke="#8a5f10" stroke-width="6"/>
  <path d="M420 400 H540 M370 520 H590 M340 620 H620" stroke="#8a5f10" stroke-width="10"/>
  <path d="M430 700 V600 Q480 540 530 600 V700 Z" fill="#8a5f10" opacity="0.55"/>
  <circle cx="480" cy="470" r="22" fill="#b3262e"/>
  <circle cx="380" cy="740" r="20" fill="url(#gold)"/>
  <circle cx="480" cy="752" r="24" fill="url(#gold)"/>
  <circle cx="580" cy="740" r="20" fill="url(#gold)"/>`);

const drawings: Readonly<Record<string, string>> = {
  'Gold coin, 1 g': coin('1 g'),
  'Gold coin, 5 g': coin('5 g'),
  'Plain band ring': band,
  'Temple pendant': pendant,
};

/**
 * Draws the PNG image of a product of the seed. Returns undefined if there is no drawing for the
 * name.
 */
export const drawProduct = async (name: string): Promise<Buffer | undefined> => {
  const drawing = drawings[name];
  return drawing === undefined ? undefined : sharp(Buffer.from(drawing)).png().toBuffer();
};
