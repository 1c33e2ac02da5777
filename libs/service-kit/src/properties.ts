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
/** Most values of single properties of users kept in memory. */
const MAX_VALUES_OF_USERS = 100_000;

interface Cached {
  readonly values: Promise<Readonly<Record<string, string>>>;
  readonly until: number;
}

/** A value of one property of a user; null where nobody set one. */
interface CachedText {
  readonly text: string | null;
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
  /** By context, user and key. */
  private readonly ofUsers = new Map<string, CachedText>();
  /** Changes that were heard of: values that were asked for before are not kept. */
  private changes = 0;

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
    this.changes += 1;
    if (contextId === undefined) {
      this.owners.clear();
      this.ofUsers.clear();
      return;
    }
    const prefix = userId === undefined ? `${contextId}:` : `${contextId}:${userId}:`;
    for (const key of this.ofUsers.keys()) if (key.startsWith(prefix)) this.ofUsers.delete(key);
    if (userId !== undefined) this.owners.delete(`${contextId}:${userId}`);
    else for (const key of this.owners.keys()) if (key.startsWith(prefix)) this.owners.delete(key);
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

  /** The effective values for several users of a context, with one call for those that are not known. */
  async getOfUsers<T extends string | number | boolean>(
    property: Property<T>,
    contextId: number,
    userIds: Iterable<number>,
  ): Promise<Map<number, T>> {
    const keyOf = (id: number): string => `${contextId}:${id}:${property.key}`;
    const ids = [...new Set(userIds)];
    const now = Date.now();
    const texts = new Map<number, string | null>();
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.ofUsers.get(keyOf(id));
      if (known && known.until > now) texts.set(id, known.text);
      else missing.push(id);
    }
    if (missing.length > 0 && this.caller) {
      const { changes } = this;
      const found = await this.caller.call(directory.propertyOfUsers, {
        principal: { kind: 'internal', service: this.service, contextId },
        query: { key: property.key, ids: missing },
      });
      const isFresh = changes === this.changes;
      if (this.ofUsers.size + missing.length > MAX_VALUES_OF_USERS) this.ofUsers.clear();
      for (const id of missing) {
        const text = found[id] ?? null;
        texts.set(id, text);
        if (isFresh) this.ofUsers.set(keyOf(id), { text, until: now + PROPERTY_LIFE_MS });
      }
    }
    const valueOf = (text: string | null | undefined): T =>
      ((text ?? null) === null ? undefined : (parseProperty(property, text!) as T | undefined)) ??
      this.serverValue(property);
    return new Map(ids.map((id) => [id, valueOf(texts.get(id))]));
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
