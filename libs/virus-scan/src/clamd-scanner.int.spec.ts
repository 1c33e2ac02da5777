import { randomBytes } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { EICAR, startClamd, type Clamd } from '@groupware/test-kit';
import { ClamdScanner } from './clamd-scanner';

const MEGABYTE = 1024 * 1024;
let clamd: Clamd;
let scanner: ClamdScanner;

beforeAll(async () => {
  clamd = await startClamd(4 * MEGABYTE);
  scanner = new ClamdScanner({ url: clamd.url, maxBytes: 4 * MEGABYTE, patienceMs: 5000 });
}, 60_000);
afterAll(() => clamd?.stop());

async function* pieces(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

describe('a scan by clamd', () => {
  it('finds a virus, wherever it is in the stream', async () => {
    expect(await scanner.scan(pieces(EICAR))).toEqual({ verdict: 'infected', virus: expect.stringMatching(/Eicar/) });
    const late = pieces(randomBytes(MEGABYTE), EICAR.subarray(0, 9), EICAR.subarray(9));
    expect(await scanner.scan(late)).toMatchObject({ verdict: 'infected' });
  });

  it('finds nothing in clean bytes, many and none', async () => {
    expect(await scanner.scan(pieces(randomBytes(3 * MEGABYTE)))).toEqual({ verdict: 'clean' });
    expect(await scanner.scan(pieces())).toEqual({ verdict: 'clean' });
  });

  it('says when there was too much, and stops reading', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; sent < 500; sent++) yield Buffer.alloc(MEGABYTE);
    }
    expect(await scanner.scan(endless())).toEqual({ verdict: 'tooLarge' });
    expect(sent).toBeLessThan(100);
  });

  it('names the version of its signatures', async () => {
    expect(await scanner.signatures()).toMatch(/^ClamAV /);
  });

  it('never takes a scanner that is gone, silent or strange for a clean result', async () => {
    const answering = async (answer: string | undefined): Promise<unknown> => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', () => answer !== undefined && socket.write(answer));
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      const url = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
      try {
        return await new ClamdScanner({ url, maxBytes: MEGABYTE, patienceMs: 200 }).scan(pieces(EICAR));
      } finally {
        server.close();
      }
    };
    await expect(answering(undefined)).rejects.toThrow('silent');
    await expect(answering('stream: maybe\0')).rejects.toThrow('maybe');
    await expect(answering('x'.repeat(10_000))).rejects.toThrow('too long');
    const gone = new ClamdScanner({ url: 'tcp://127.0.0.1:1', maxBytes: MEGABYTE, patienceMs: 200 });
    await expect(gone.scan(pieces(EICAR))).rejects.toThrow();
    await expect(gone.signatures()).rejects.toThrow();
  });
});
