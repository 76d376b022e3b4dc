import type { Clock } from '../../../../platform/clock/clock.ts';

/** The prices of a gram before tax, in paise. */
export interface SpotPrices {
  readonly buyPaise: bigint;
  readonly sellPaise: bigint;
  readonly spotPaise: bigint;
}

export interface PriceSource {
  current(): SpotPrices;
  /** Fixes these prices until `follow`. */
  fix(prices: SpotPrices): void;
  /** Lets the prices vary again. */
  follow(): void;
  /** Returns the fixed prices, or undefined while they vary. */
  fixed(): SpotPrices | undefined;
}

const basePaise = 1_234_567n;
const stepMs = 10_000;

/**
 * Returns the height of a triangular wave, which rises from 0 to `height` and falls back within
 * `period` steps.
 */
const wave = (step: number, period: number, height: number): number => {
  const half = period / 2;
  const position = ((step % period) + period) % period;
  const distance = position < half ? position : period - position;
  return Math.floor((distance * height) / half);
};

const movingPrices = (now: Date): SpotPrices => {
  const step = Math.floor(now.getTime() / stepMs);
  const drift = wave(step, 360, 2400) + wave(step, 46, 500) - 1450;
  const buyPaise = basePaise + BigInt(drift);
  const sellPaise = (buyPaise * 97n) / 100n;
  return { buyPaise, sellPaise, spotPaise: (buyPaise + sellPaise) / 2n };
};

/**
 * Creates prices that vary around INR 12,345.67 every 10 s of the movable clock. The same time
 * always has the same prices.
 */
export const createPriceSource = (clock: Clock): PriceSource => {
  let fixedPrices: SpotPrices | undefined;
  return {
    current: () => fixedPrices ?? movingPrices(clock.now()),
    fix(prices) {
      fixedPrices = prices;
    },
    follow() {
      fixedPrices = undefined;
    },
    fixed: () => fixedPrices,
  };
};
