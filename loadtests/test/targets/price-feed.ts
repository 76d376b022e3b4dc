import { createServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { listen, type Listening } from './listen.ts';

/** The faults that a feed can have. */
export interface FeedFlaws {
  readonly noSnapshot?: boolean;
  readonly twoSnapshots?: boolean;
  /** Every other tick: leaves out a number, sends the last one again, or is not sent. */
  readonly skipsSeq?: boolean;
  readonly repeatsSeq?: boolean;
  readonly missesMarks?: boolean;
  /** Sends two ticks, each with a seq of its own, on every mark. */
  readonly ticksTwice?: boolean;
  /** Delays every tick. */
  readonly lateMs?: number;
  /** Delays the ticks of one socket. */
  readonly oneLateMs?: number;
  readonly noSellPrice?: boolean;
  /** Asks the provider once and repeats its answer ever after. */
  /** Sells above what others buy at. */
  readonly wrongSpread?: boolean;
  /** The first socket gets a price, or a seq, of its own. */
  readonly oneOtherPrice?: boolean;
  readonly oneOtherSeq?: boolean;
  readonly staysAtFirstAnswer?: boolean;
  /** Says that every price is the last that is known. */
  readonly isStale?: boolean;
  /** Asks the provider at every mark and has the same amounts each time. */
  readonly amountsStand?: boolean;
  /** Cuts every socket off after its first tick. */
  readonly cutsOff?: boolean;
  /** Has no namespace `/price`. */
  readonly noNamespace?: boolean;
}

const startedAt = new Date().toISOString();

const priceAt = (seq: number, flaws: FeedFlaws) => ({
  buyPaise: 1_233_666 + (flaws.amountsStand === true ? 0 : seq),
  ...(flaws.noSellPrice !== true && {
    sellPaise: flaws.wrongSpread === true ? 1_233_667 : 1_196_656,
  }),
  spotPaise: 1_215_161,
  currency: 'INR',
  unit: 'GRAM',
  source: 'PROVIDER',
  asOf: flaws.staysAtFirstAnswer === true ? startedAt : new Date().toISOString(),
  ...(flaws.isStale === true && { stale: true }),
  seq,
});

/** Calls `onMark` with 1, 2, 3 on the wall clock's marks until stopped. */
const onMarks = (tickMs: number, onMark: (index: number) => void): (() => void) => {
  let timer: NodeJS.Timeout;
  const wait = (index: number): void => {
    // A timer may fire a hair early. The mark must be over.
    const untilMark = tickMs - (Date.now() % tickMs) + 2;
    timer = setTimeout(() => {
      onMark(index);
      wait(index + 1);
    }, untilMark);
  };
  wait(1);
  return () => clearTimeout(timer);
};

const nextSeq = (seq: number, isOther: boolean, flaws: FeedFlaws): number => {
  if (isOther && flaws.repeatsSeq === true) return seq;
  return isOther && flaws.skipsSeq === true ? seq + 2 : seq + 1;
};

/** Starts a price feed on loopback that ticks every `tickMs`, except for its flaws. */
export const startPriceFeed = async (tickMs: number, flaws: FeedFlaws = {}): Promise<Listening> => {
  const io = new Server(createServer(), { serveClient: false });
  const feed = io.of(flaws.noNamespace === true ? '/other' : '/price');
  const sockets: Socket[] = [];
  let seq = 100;

  feed.on('connection', (socket) => {
    sockets.push(socket);
    const snapshots = flaws.noSnapshot === true ? 0 : 1 + Number(flaws.twoSnapshots === true);
    for (let sent = 0; sent < snapshots; sent += 1) {
      socket.emit('price_snapshot', priceAt(seq, flaws));
    }
  });

  const send = (socket: Socket, index: number): void => {
    const isOdd = index === 0;
    const price = priceAt(seq, flaws);
    const message = {
      ...price,
      buyPaise: price.buyPaise + Number(isOdd && flaws.oneOtherPrice === true),
      seq: price.seq + Number(isOdd && flaws.oneOtherSeq === true),
    };
    const lateMs = (isOdd ? flaws.oneLateMs : undefined) ?? flaws.lateMs ?? 0;
    setTimeout(() => {
      socket.emit('price_update', message);
      if (flaws.cutsOff === true) socket.disconnect(true);
    }, lateMs);
  };

  const stop = onMarks(tickMs, (mark) => {
    const isOther = mark % 2 === 0;
    if (isOther && flaws.missesMarks === true) return;
    const ticks = flaws.ticksTwice === true ? 2 : 1;
    for (let sent = 0; sent < ticks; sent += 1) {
      seq = nextSeq(seq, isOther, flaws);
      sockets.forEach(send);
    }
  });

  const server = createServer();
  io.attach(server);
  const { url, close } = await listen(server);
  return {
    url,
    close: async () => {
      stop();
      io.engine.close();
      await close();
    },
  };
};
