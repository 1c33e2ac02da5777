import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** Way to a server that breaks on demand: to its clients, the server was killed, or the network between is bad. */
export class BreakableLink {
  private readonly sockets = new Set<Socket>();
  private awaited: { text: string; arrives: boolean; found: () => void } | undefined;
  private server: Server | undefined;
  private down = false;
  private delayMs = 0;
  private bytesLeft = Infinity;

  private constructor(
    private readonly host: string,
    private readonly target: number,
  ) {}

  /** A link to the server of a URL. */
  static async openTo(url: string): Promise<BreakableLink> {
    const { hostname, port } = new URL(url);
    const link = new BreakableLink(hostname, Number(port));
    link.server = createServer((socket) => link.join(socket));
    await new Promise<void>((resolve) => link.server!.listen(0, '127.0.0.1', resolve));
    return link;
  }

  /** The same URL by this link. */
  url(url: string): string {
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String((this.server!.address() as AddressInfo).port);
    return own.href.replace(/\/$/, '');
  }

  /** Ends all connections in the middle of whatever they carry, and refuses new ones for a while. Returns how many ended. */
  async break(downMs: number): Promise<number> {
    this.down = true;
    const ended = this.sockets.size / 2;
    for (const socket of this.sockets) socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, downMs));
    this.down = false;
    return ended;
  }

  /**
   * Carries nothing more on the connections that exist and ends none of them, as a fail-over behind one address or a dropped
   * translation table does; new connections work. Returns how many fell silent.
   */
  silence(): number {
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.removeAllListeners('close').resume();
    }
    return this.sockets.size / 2;
  }

  /**
   * Ends the connection on which a text is sent next, when the server answers and before the client hears it. Resolves when that
   * has happened.
   * @param arrives false: it ends before the text reaches the server
   */
  loseAnswerTo(text: string, arrives = true): Promise<void> {
    return new Promise((found) => (this.awaited = { text, arrives, found }));
  }

  /** Ends the connection over which clients have sent so many bytes from now on. */
  cutAfter(bytes: number): void {
    this.bytesLeft = bytes;
  }

  /** From now on everything arrives later by so much, ms, on connections that are made from now on. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Ends the link. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server!.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(socket: Socket): void {
    if (this.down) return void socket.on('error', () => undefined).resetAndDestroy();
    const other = connect(this.target, this.host);
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          this.sockets.delete(from);
          to.destroy();
        });
      if (from === socket) this.watch(socket, other);
      if (this.delayMs > 0) this.carryLate(from, to);
      else from.pipe(to);
    }
  }

  private watch(client: Socket, server: Socket): void {
    client.on('data', (bytes: Buffer) => {
      this.bytesLeft -= bytes.length;
      if (this.bytesLeft < 0) {
        this.bytesLeft = Infinity;
        client.resetAndDestroy();
        server.resetAndDestroy();
        return;
      }
      const { awaited } = this;
      if (!awaited || !bytes.includes(awaited.text)) return;
      this.awaited = undefined;
      const end = () => {
        client.resetAndDestroy();
        server.resetAndDestroy();
        awaited.found();
      };
      if (!awaited.arrives) return end();
      server.unpipe();
      server.once('data', end).resume();
    });
  }

  private carryLate(from: Socket, to: Socket): void {
    const { delayMs } = this;
    from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs));
  }
}
