import { once } from 'node:events';
import { createServer } from 'node:net';
import { findFreePorts } from './free-ports';

describe('free ports', () => {
  it('differ, can be listened at, and are none that connections get', async () => {
    const ports = await findFreePorts(50);
    expect(new Set(ports).size).toBe(50);
    for (const port of ports) {
      expect(port).toBeLessThan(32_768);
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      await once(server.close(), 'close');
    }
  });
});
