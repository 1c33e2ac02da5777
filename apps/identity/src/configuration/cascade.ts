import { Injectable } from '@nestjs/common';
import { parseProperty, type Property } from '@groupware/contracts';
import { isCapabilityKey } from '../domain/capabilities';
import { Properties } from '@groupware/service-kit';

/** Values of the scopes user and context, by key, the user's over the context's. */
export type ScopedValues = Readonly<Record<string, string>>;

/** The configuration cascade of this service, which owns the values of users and contexts and reads its own tables. */
@Injectable()
export class Cascade {
  constructor(private readonly properties: Properties) {}

  /** Server values that switch capabilities; they need no declaration. */
  serverCapabilities(): ScopedValues {
    return Object.fromEntries([...this.properties.serverTexts()].filter(([key]) => isCapabilityKey(key)));
  }

  /** The value for a user or context whose values were read; unfit texts count as absent. */
  value<T extends string | number | boolean>(property: Property<T>, scoped: ScopedValues = {}): T {
    const text = property.scopes.some((scope) => scope !== 'server') ? scoped[property.key] : undefined;
    const parsed = text === undefined ? undefined : parseProperty(property, text);
    return parsed === undefined ? this.properties.serverValue(property) : (parsed as T);
  }
}
