import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Counter } from 'prom-client';
import type { ListenerSettings } from '../config/listener-settings';
import { clientNetwork } from './network';

const closed = new Counter({
  name: 'groupware_http_connections_closed_total',
  help: 'Connections closed to keep within limits: idle ones for new ones, new ones where none was idle, slow clients',
  labelNames: ['listener', 'reason'],
});

/** Counts a connection that was closed to keep within limits. */
export const countClosed = (listener: string, reason: 'idle' | 'refused' | 'slow'): void =>
  closed.inc({ listener, reason });

/** The connections of a listener, or those of one client network. */
class Group {
  count = 0;
  /** Connections without a request, the one that waits longest first. */
  readonly idle = new Set<Place>();

  constructor(readonly limit: number) {}
}

/** One counted connection. */
class Place {
  requests = 0;
  private isCounted = true;

  constructor(
    readonly socket: Socket,
    private readonly groups: readonly Group[],
  ) {
    for (const group of groups) group.count++;
    this.setIdle(true);
  }

  setIdle(isIdle: boolean): void {
    if (!this.isCounted) return;
    for (const { idle } of this.groups)
      if (isIdle) idle.add(this);
      else idle.delete(this);
  }

  leave(): void {
    if (!this.isCounted) return;
    this.setIdle(false);
    this.isCounted = false;
    for (const group of this.groups) group.count--;
  }
}

/**
 * Bounds the open connections of a listener, in all and by address. A connection whose client has asked nothing, or not yet
 * completed the head of a request, gives way to a new one: clients that only hold connections open keep no other out.
 */
export class ConnectionLimits {
  private readonly all: Group;
  private readonly byNetwork = new Map<string, Group>();
  private readonly places = new WeakMap<Socket, Place>();

  constructor(
    server: Server,
    private readonly listener: string,
    private readonly limits: Pick<ListenerSettings, 'maxConnections' | 'maxConnectionsPerAddress'>,
    /** Whether the limit of one address does not hold for a peer: requests of all clients come through proxies. */
    private readonly isExempt: (address: string) => boolean,
    /** Whether a handler takes connections over. Without one, requests that ask for it are answered like others. */
    takesUpgrades: boolean,
  ) {
    this.all = new Group(limits.maxConnections);
    server.on('connection', (socket: Socket) => this.admit(socket));
    server.prependListener('request', (request, response) => this.begin(request, response));
    // Any listener of this event makes the server hand over connections, and answer nothing itself.
    if (takesUpgrades) server.on('upgrade', ({ socket }) => this.places.get(socket)?.setIdle(false));
  }

  private admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const network = this.isExempt(address) ? undefined : clientNetwork(address);
    const groups = network === undefined ? [this.all] : [this.groupOf(network), this.all];
    if (!groups.every((group) => this.makeRoom(group))) {
      countClosed(this.listener, 'refused');
      socket.destroy();
      return;
    }
    const place = new Place(socket, groups);
    this.places.set(socket, place);
    socket.once('close', () => {
      place.leave();
      if (network !== undefined && groups[0]!.count === 0) this.byNetwork.delete(network);
    });
  }

  private groupOf(network: string): Group {
    let group = this.byNetwork.get(network);
    if (!group) this.byNetwork.set(network, (group = new Group(this.limits.maxConnectionsPerAddress)));
    return group;
  }

  private makeRoom(group: Group): boolean {
    if (group.count < group.limit) return true;
    const [oldest] = group.idle;
    if (!oldest) return false;
    countClosed(this.listener, 'idle');
    // Its place is free at once: the event that it closed comes later.
    oldest.leave();
    oldest.socket.destroy();
    return true;
  }

  private begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const place = this.places.get(socket);
    if (!place) return;
    place.requests++;
    place.setIdle(false);
    response.on('close', () => {
      place.requests--;
      if (place.requests === 0 && !socket.destroyed) place.setIdle(true);
    });
  }
}
