import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a {@link WebServer} got it. */
export interface AskedPage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A web server elsewhere, played by the test at an address of this machine. */
export class WebServer {
  /** All requests, in their order. */
  readonly asked: AskedPage[] = [];

  private constructor(private readonly server: Server) {}

  /** @param answer the path is that of the request, parameters included */
  static async start(
    answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
  ): Promise<WebServer> {
    const server = createServer((request, response) => {
      const { url: path = '/', headers } = request;
      web.asked.push({ path, headers });
      answer(path, response, request);
    });
    const web = new WebServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return web;
  }

  /** Without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends also answers that began and never end. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
