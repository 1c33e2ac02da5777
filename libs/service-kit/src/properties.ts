import { directory, parseProperty, type Property } from '@groupware/contracts';
import type { Caller, EventBus } from '@groupware/messaging';
import { ServerValues } from './configuration/server-values';

/** Whose value is wanted. Without a context: the server's. */
export interface PropertyOwner {
  readonly contextId?: number;
  readonly userId?: number;
}

/** Values of other processes are asked again after so long even without word of a change, ms. */
export const PROPERTY_LIFE_MS = 30_000;
/** Most owners kept in memory. */
const MAX_OWNERS = 20_000;

interface Cached {
  readonly values: Promise<Readonly<Record<string, string>>>;
  readonly until: number;
}

/** Topic of the broadcast that drops cached values: {@link PropertyChange}. */
export const PROPERTY_CHANGED = 'property-changed';

/** Whose values changed: of one user, of a context with all its users, or (without a context) of everybody. */
export interface PropertyChange {
  readonly contextId?: number;
  readonly userId?: number;
}

/**
 * The configuration cascade: a value of the user, else of the context, its reseller or a context set, else of the server, else
 * the default. What is set for an owner is asked once and kept until somebody says that it changed.
 */
export class Properties {
  private readonly server: ServerValues;
  private readonly owners = new Map<string, Cached>();

  constructor(
    private readonly caller: Pick<Caller, 'call'> | undefined,
    serverValues: ServerValues | Readonly<Record<string, string>> = {},
    private readonly service = 'kit',
  ) {
    this.server = serverValues instanceof ServerValues ? serverValues : ServerValues.of(serverValues);
  }

  /** Drops cached values when another process says that they changed. */
  follow(events: Pick<EventBus, 'onBroadcast'>): void {
    events.onBroadcast<PropertyChange>(PROPERTY_CHANGED, (change) => this.drop(change));
  }

  /** Forgets the values of a context, of one user of it, or of everybody. */
  drop({ contextId, userId }: PropertyChange): void {
    if (contextId === undefined) this.owners.clear();
    else if (userId !== undefined) this.owners.delete(`${contextId}:${userId}`);
    else for (const key of this.owners.keys()) if (key.startsWith(`${contextId}:`)) this.owners.delete(key);
  }

  /** The server's value: known without asking anybody. */
  serverValue<T extends string | number | boolean>(property: Property<T>): T {
    return this.server.get(property);
  }

  /** The texts of the server, of declared keys and of others. */
  serverTexts(): ReadonlyMap<string, string> {
    return new Map([...this.server.all].map(([key, { text }]) => [key, text]));
  }

  /** The server's text of any key, or undefined. */
  serverText(key: string): string | undefined {
    return this.server.text(key);
  }

  /** The effective value for an owner. */
  async get<T extends string | number | boolean>(property: Property<T>, owner: PropertyOwner = {}): Promise<T> {
    const { contextId, userId } = owner;
    if (contextId !== undefined && this.caller) {
      const scoped = property.scopes;
      const values =
        scoped.includes('context') || (scoped.includes('user') && userId !== undefined)
          ? await this.valuesOf(contextId, scoped.includes('user') ? (userId ?? 0) : 0)
          : {};
      const text = values[property.key];
      const parsed = text === undefined ? undefined : parseProperty(property as unknown as Property, text);
      if (parsed !== undefined) return parsed as T;
    }
    return this.serverValue(property);
  }

  private valuesOf(contextId: number, userId: number): Promise<Readonly<Record<string, string>>> {
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
