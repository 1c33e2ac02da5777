import { createServer, type AddressInfo, type Server } from 'node:net';
import { refuseTakenPorts } from './taken-ports.mjs';

let server: Server;
let taken: number;
beforeEach(
  () =>
    new Promise<void>((resolve) => {
      server = createServer().listen(0, '127.0.0.1', () => {
        taken = (server.address() as AddressInfo).port;
        resolve();
      });
    }),
);
afterEach(() => new Promise((resolve) => server.close(resolve)));

describe('ports', () => {
  it('that are taken are all told by the name of their variable', async () => {
    await expect(refuseTakenPorts({ PORT: taken, INTERNAL_PORT: taken })).rejects.toThrow(
      `PORT ${taken} is taken by another program; set PORT to another one\nINTERNAL_PORT ${taken} is taken`,
    );
  });

  it('that are free, or left to the system, are fine', async () => {
    const free = taken;
    await new Promise((resolve) => server.close(resolve));
    server = createServer().listen(0, '127.0.0.1');
    await expect(refuseTakenPorts({ PORT: free, INTERNAL_PORT: 0 })).resolves.toBeUndefined();
  });
});
