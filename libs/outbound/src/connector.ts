import net from 'node:net';

/** Opens TCP connections to addresses that were checked. Tests put one in that records instead. */
export interface Connector {
  /** @throws when the connection fails or the signal ends the attempt; nothing stays open then */
  open(address: string, port: number, signal: AbortSignal): Promise<net.Socket>;
}

/** Connects for real. */
export class TcpConnector implements Connector {
  open(address: string, port: number, signal: AbortSignal): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: address, port, noDelay: true });
      const end = (error?: Error) => {
        signal.removeEventListener('abort', abort);
        socket.removeAllListeners('error').removeAllListeners('connect');
        if (!error) return resolve(socket);
        socket.on('error', () => undefined).destroy();
        reject(error);
      };
      const abort = () => end(new Error('the attempt was ended'));
      socket.once('connect', () => end());
      socket.once('error', end);
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    });
  }
}

/** Pause before the next address is tried beside the ones under way, ms (RFC 8305, section 5). */
const NEXT_ADDRESS_MS = 250;
/** Most addresses of one host that are tried. */
export const MAX_ADDRESSES = 4;

/**
 * Connects to the first address that answers, trying them side by side with a short delay.
 * @param addresses checked ones; at most {@link MAX_ADDRESSES} are tried
 */
export async function connectToAny(
  connector: Connector,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  const others = new AbortController();
  const stop = () => others.abort();
  signal.addEventListener('abort', stop, { once: true });
  const waiting: (() => void)[] = [];
  const attempts = addresses.slice(0, MAX_ADDRESSES).map(async (address, index) => {
    if (index > 0) await pause(NEXT_ADDRESS_MS * index, others.signal, waiting);
    try {
      return await connector.open(address, port, others.signal);
    } catch (error) {
      waiting.shift()?.();
      throw error;
    }
  });
  let winner: net.Socket | undefined;
  try {
    winner = await Promise.any(attempts);
    return winner;
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    signal.removeEventListener('abort', stop);
    others.abort();
    // One that got through in the same moment as the winner.
    for (const attempt of attempts)
      void attempt.then((socket) => socket !== winner && socket.destroy()).catch(() => undefined);
  }
}

/** Waits for some time, but not longer than until the signal, or until it is taken out of the line. */
function pause(ms: number, signal: AbortSignal, line: (() => void)[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      const place = line.indexOf(done);
      if (place >= 0) line.splice(place, 1);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
    line.push(done);
  });
}
