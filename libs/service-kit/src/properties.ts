import { directory, parseProperty, type Property } from '@groupware/contracts';
import type { Caller, EventBus } from '@groupware/messaging';
import { ServerValues } from './configuration/server-values';

/** Owner of a value. Without a context: the server. */
export interface PropertyOwner {
  readonly contextId?: number;
  readonly userId?: number;
}

/** Cache lifetime where a change was missed, ms. */
const PROPERTY_LIFE_MS = 30_000;
/** Most owners kept in memory. */
const MAX_OWNERS = 20_000;

interface Cached {
  readonly values: Promise<Readonly<Record<string, string>>>;
  readonly until: number;
}

/** Topic of the broadcast that drops cached values: {@link PropertyChange}. */
export const PROPERTY_CHANGED = 'property-changed';

/** Changed values: of one user, of a context with all its users, or (without a context) of all. */
export interface PropertyChange {
  readonly contextId?: number;
  readonly userId?: number;
}

/**
 * The configuration cascade: a value of the user, else of the context, its reseller or a context set, else of the
 * server, else the default. Values of an owner are cached until a change is broadcast.
 */
export class Properties {
  private readonly server: ServerValues;
  private readonly owners = new Map<string, Cached>();

  constructor(
    private readonly caller: Pick<Caller, 'call'> | undefined,
    serverValues: ServerValues | Readonly<Record<string, string>> = {},
    private readonly service = 'kit',
  ) {
    this.server = serverValues instanceof ServerValues ? serverValues : ServerValues.fromTexts(serverValues);
  }

  /** Drops cached values when another process says that they changed. */
  subscribe(events: Pick<EventBus, 'onBroadcast'>): void {
    events.onBroadcast<PropertyChange>(PROPERTY_CHANGED, (change) => this.invalidate(change));
  }

  /** Drops cached values of a context, of one of its users, or of all. */
  invalidate({ contextId, userId }: PropertyChange): void {
    if (contextId === undefined) this.owners.clear();
    else if (userId !== undefined) this.owners.delete(`${contextId}:${userId}`);
    else for (const key of this.owners.keys()) if (key.startsWith(`${contextId}:`)) this.owners.delete(key);
  }

  /** Reads the server's value, which needs no call. */
  serverValue<T extends string | number | boolean>(property: Property<T>): T {
    return this.server.get(property);
  }

  /** The texts of the server, of declared keys and of others. */
  serverTexts(): ReadonlyMap<string, string> {
    return new Map([...this.server.all].map(([key, { text }]) => [key, text]));
  }

  /** The server's text of any key, or undefined. */
  serverText(key: string): string | undefined {
    return this.server.findText(key);
  }

  /** The effective value for an owner. */
  async get<T extends string | number | boolean>(property: Property<T>, owner: PropertyOwner = {}): Promise<T> {
    const { contextId, userId } = owner;
    if (contextId !== undefined && this.caller) {
      const scoped = property.scopes;
      const values =
        scoped.includes('context') || (scoped.includes('user') && userId !== undefined)
          ? await this.loadValues(contextId, scoped.includes('user') ? (userId ?? 0) : 0)
          : {};
      const text = values[property.key];
      const parsed = text === undefined ? undefined : parseProperty(property, text);
      if (parsed !== undefined) return parsed as T;
    }
    return this.serverValue(property);
  }

  private loadValues(contextId: number, userId: number): Promise<Readonly<Record<string, string>>> {
    const key = `${contextId}:${userId}`;
    const known = this.owners.get(key);
    const now = Date.now();
    if (known && known.until > now) return known.values;
    if (this.owners.size >= MAX_OWNERS) this.owners.clear();
    const values = this.caller!.call(directory.properties, {
      principal: { kind: 'internal', service: this.service, contextId },
      query: { user: userId },
    });
    const entry = { values, until: now + PROPERTY_LIFE_MS };
    this.owners.set(key, entry);
    values.catch(() => this.owners.get(key) === entry && this.owners.delete(key));
    return values;
  }
}
