import { readFileSync } from 'node:fs';
import { allProperties, directory, parseProperty, type Property } from '@groupware/contracts';
import type { Caller, EventBus } from '@groupware/messaging';

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

/** Topic of the broadcast that drops cached values: `{contextId, userId?}`. */
export const PROPERTY_CHANGED = 'property-changed';

/** The configuration cascade: a value of the user, else of the context, else of the server, else the default. */
export class Properties {
  private readonly server: ReadonlyMap<string, string | number | boolean>;
  private readonly owners = new Map<string, Cached>();

  constructor(
    private readonly caller: Pick<Caller, 'call'> | undefined,
    serverValues: Readonly<Record<string, string>> = {},
    private readonly service = 'kit',
  ) {
    this.server = parseServerValues(serverValues);
  }

  /** Drops cached values when another process says that they changed. */
  follow(events: Pick<EventBus, 'onBroadcast'>): void {
    events.onBroadcast<{ contextId: number; userId?: number }>(PROPERTY_CHANGED, (change) => this.drop(change));
  }

  /** Forgets the values of a context, or of one user of it. */
  drop({ contextId, userId }: { contextId: number; userId?: number }): void {
    for (const key of this.owners.keys())
      if (userId === undefined ? key.startsWith(`${contextId}:`) : key === `${contextId}:${userId}`)
        this.owners.delete(key);
  }

  /** The server's value: known without asking anybody. */
  serverValue<T extends string | number | boolean>(property: Property<T>): T {
    return (this.server.get(property.key) ?? property.default) as T;
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

/** Reads a file of `key=value` lines; `#` begins a comment line. */
export function readPropertiesFile(file: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    const match = /^\s*([^#=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (match) values[match[1]!] = match[2]!;
  }
  return values;
}

function parseServerValues(values: Readonly<Record<string, string>>): Map<string, string | number | boolean> {
  const parsed = new Map<string, string | number | boolean>();
  for (const property of allProperties()) {
    const text = values[property.key];
    const value = text === undefined ? undefined : parseProperty(property, text);
    if (value !== undefined) parsed.set(property.key, value);
  }
  return parsed;
}

/** Server values that do not fit their declaration, for the report at start. Unknown keys are other software's. */
export function badServerValues(values: Readonly<Record<string, string>>): string[] {
  return allProperties()
    .filter(({ key }) => values[key] !== undefined)
    .filter((property) => parseProperty(property, values[property.key]!) === undefined)
    .map((property) => `${property.key}: ${JSON.stringify(values[property.key])} is no ${property.type} in range`);
}
