import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that systems give to connections: one of those may be taken before the server of a test listens there. */
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 32_767;

/** Finds different ports of the loopback interface where no server listens at the moment. */
export async function findFreePorts(count: number): Promise<number[]> {
  const reserved = new Map<number, Server>();
  while (reserved.size < count) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    const server = await listen(port);
    if (server) reserved.set(port, server);
  }
  await Promise.all([...reserved.values()].map((server) => once(server.close(), 'close')));
  return [...reserved.keys()];
}

/** Finds a port of the loopback interface where no server listens at the moment. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1);
  return port!;
}

/** A server on the port; undefined where it is taken. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
