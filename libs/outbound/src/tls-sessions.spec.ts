import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { testAuthority, type TestCertificate } from '@groupware/test-kit';
import { CertificateFailure, OutboundFailure } from './outbound-failure';
import { OutboundGuard } from './outbound-guard';
import { OutboundSettings } from './outbound-settings';
import { PortList } from './ports';

const authority = testAuthority();
const folder = mkdtempSync(path.join(os.tmpdir(), 'tls-sessions-'));
const caFile = path.join(folder, 'ca.pem');
const servers: tls.Server[] = [];
beforeAll(() => writeFileSync(caFile, authority.cert));
afterAll(() => {
  servers.forEach((server) => server.close());
  rmSync(folder, { recursive: true, force: true });
});

const listen = async (certificate: TestCertificate, options: tls.TlsOptions = {}) => {
  const server = tls.createServer({ ...certificate, ...options }, (socket) =>
    socket.on('error', () => undefined).end('hello'),
  );
  servers.push(server.on('tlsClientError', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
};
const newGuard = () =>
  new OutboundGuard(Object.assign(new OutboundSettings(), { allow: ['127.0.0.1'], caFile, failureStepMs: 0 }), {
    resolver: { addresses: async () => ['127.0.0.1'], services: async () => [], exchanges: async () => [] },
  });
/** Reads to the end, where the tickets are; tells whether the connection resumed a session. */
async function read(socket: tls.TLSSocket): Promise<boolean> {
  const isReused = socket.isSessionReused();
  for await (const _part of socket);
  return isReused;
}

async function isResumed(guard: OutboundGuard, port: number, host = 'mail.test'): Promise<boolean> {
  const target = { host, port, purpose: 'test', ports: new PortList([String(port)]) };
  return read(await guard.connectTls(target));
}

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a second %s connection to the same host resumes the first',
  async (version) => {
    const { port } = await listen(authority.issue(['mail.test', 'other.test']), { maxVersion: version });
    const guard = newGuard();
    const results = [await isResumed(guard, port), await isResumed(guard, port), await isResumed(guard, port)];
    expect(results).toEqual([false, true, true]);
    // A certificate is checked for one name only.
    expect(await isResumed(guard, port, 'other.test')).toBe(false);
    const again = await listen(authority.issue(['mail.test']), { maxVersion: version });
    expect(await isResumed(guard, again.port)).toBe(false);
    expect(await isResumed(newGuard(), port)).toBe(false);
  },
);

it('only a certificate that is trusted is not looked at again, however often it was accepted', async () => {
  const { port } = await listen(testAuthority().issue(['mail.test']));
  const guard = newGuard();
  const signal = AbortSignal.timeout(5_000);
  const admitted = await guard.check({ host: 'mail.test', port, ports: new PortList([String(port)]) }, signal);
  let shown = 0;
  const accepts = async () => (shown += 1) > 0;
  for (let round = 1; round <= 3; round++) {
    const socket = await guard.secure(await guard.open(admitted, signal), { ...admitted, accepts }, signal);
    expect([await read(socket), shown]).toEqual([false, round]);
  }
  await expect(isResumed(guard, port)).rejects.toThrow(CertificateFailure);
});

it('a certificate is looked at again after an hour, and after a failure', async () => {
  const { server, port } = await listen(authority.issue(['mail.test']));
  const guard = newGuard();
  const clock = jest.spyOn(Date, 'now');
  try {
    expect([await isResumed(guard, port), await isResumed(guard, port)]).toEqual([false, true]);
    const start = Date.now();
    clock.mockImplementation(() => start + 3_600_001);
    expect([await isResumed(guard, port), await isResumed(guard, port)]).toEqual([false, true]);
  } finally {
    clock.mockRestore();
  }
  server.once('connection', (socket) => socket.destroy());
  await expect(isResumed(guard, port)).rejects.toThrow(OutboundFailure);
  expect(await isResumed(guard, port)).toBe(false);
});
