import { connect } from 'node:net';

/** A request as it goes over the wire. */
export interface PipelinedRequest {
  readonly method: string;
  /** Below the base path of the API. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The requests of one connection are worked on one after the other. */
const CONNECTIONS = 100;
const ANSWER = /HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n([\s\S]*?)(?=HTTP\/1\.1 \d{3} |$)/g;

/**
 * Sends all requests at once, several on a connection (RFC 9112 section 9.3.2); answers the error code of each answer, or its status.
 * @param from loopback address of the client
 */
export async function pipelined(
  url: string,
  requests: readonly PipelinedRequest[],
  from = '127.0.0.1',
): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: Math.min(CONNECTIONS, requests.length) }, (_, connection) =>
      send(
        new URL(url),
        requests.filter((_request, index) => index % CONNECTIONS === connection),
        from,
      ),
    ),
  );
  return answers.flat();
}

function send(
  { hostname, port, host, pathname }: URL,
  requests: readonly PipelinedRequest[],
  localAddress: string,
): Promise<string[]> {
  const base = pathname.replace(/\/$/, '');
  const text = requests.map(({ method, path, headers = {}, body = '' }, index) => {
    const lines = Object.entries({
      Host: host,
      ...headers,
      ...(body ? { 'Content-Type': 'application/json', ...headers } : {}),
      'Content-Length': String(Buffer.byteLength(body)),
      ...(index === requests.length - 1 ? { Connection: 'close' } : {}),
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${base}${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  });
  return new Promise((resolve, reject) => {
    let received = '';
    const options = { port: Number(port), host: hostname, localAddress };
    const socket = connect(options, () => socket.write(text.join('')));
    socket
      .on('data', (part) => (received += part.toString('latin1')))
      .on('error', reject)
      .on('close', () =>
        resolve(
          [...received.matchAll(ANSWER)].map(([, status, body]) => /"code":"([A-Z-]+\d+)"/.exec(body!)?.[1] ?? status!),
        ),
      );
  });
}
