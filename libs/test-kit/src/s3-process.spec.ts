import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { S3Process } from './s3-process';

describe('an S3 server', () => {
  it('that does not start fails with its exit code, and can be closed', async () => {
    const server = await S3Process.start('bucket');
    const port = Number(new URL(server.endpoint).port);
    await server.kill();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    expect((other.address() as AddressInfo).port).toBe(port);
    await expect(server.run()).rejects.toThrow('the S3 server ended with code 1 before it listened');
    other.close();
    await server.close();
  });
});
