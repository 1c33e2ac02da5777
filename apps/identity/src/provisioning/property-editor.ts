import { Injectable } from '@nestjs/common';
import {
  identityEvents,
  parseProperty,
  propertyByKey,
  ProvisioningErrors,
  type PropertyEntry,
} from '@groupware/contracts';
import type { Reader, Transaction } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { isCapabilityKey } from '../domain/capabilities';
import { AuditRepository } from '../persistence/audit.repository';
import { PropertyRepository } from '../persistence/property.repository';
import type { Actor } from './actor';

/** User 0 stands for the context. */
const CONTEXT = 0;

/** Values of the configuration cascade: what may be set where. */
@Injectable()
export class PropertyEditor {
  constructor(
    private readonly properties: PropertyRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** The value set in one scope. @throws PROV-0015 */
  async get(db: Reader, userId: number, key: string): Promise<PropertyEntry> {
    const text = await this.properties.find(db, userId, key);
    if (text === undefined) throw ProvisioningErrors.propertyNotSet(key);
    return { name: key, value: typed(key, text) };
  }

  /** Sets a value in one scope. @throws PROV-0013, PROV-0014 */
  async set(tx: Transaction, userId: number, key: string, value: unknown, actor: Actor): Promise<PropertyEntry> {
    const scope = userId === CONTEXT ? 'context' : 'user';
    const declaration = propertyByKey(key);
    if (!declaration && !isCapabilityKey(key)) throw ProvisioningErrors.propertyNotSettable(key, scope);
    if (declaration && !declaration.scopes.includes(scope)) throw ProvisioningErrors.propertyNotSettable(key, scope);
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
    const fits =
      text !== undefined &&
      (declaration ? parseProperty(declaration, text) !== undefined : /^(true|false)$/i.test(text));
    if (!fits) throw ProvisioningErrors.badPropertyValue(key);
    const before = await this.properties.find(tx, userId, key);
    await this.properties.set(tx, userId, key, text);
    await this.note(tx, userId, key, { before, after: text }, actor);
    return { name: key, value: typed(key, text) };
  }

  /** Removes a value from one scope; answers whether there was one. */
  async remove(tx: Transaction, userId: number, key: string, actor: Actor): Promise<boolean> {
    const before = await this.properties.find(tx, userId, key);
    if (before === undefined) return false;
    await this.properties.remove(tx, userId, key);
    await this.note(tx, userId, key, { before }, actor);
    return true;
  }

  private async note(
    tx: Transaction,
    userId: number,
    key: string,
    { before, after }: { before?: string; after?: string },
    actor: Actor,
  ): Promise<void> {
    await tx.publish(identityEvents['property.changed'], userId === CONTEXT ? {} : { userId });
    await this.audit.add(tx, {
      at: this.clock.now(),
      actor: actor.name,
      action: after === undefined ? 'delete' : 'set',
      kind: 'property',
      objectId: userId === CONTEXT ? key : `${userId}:${key}`,
      ...(before === undefined ? {} : { before: { value: before } }),
      ...(after === undefined ? {} : { after: { value: after } }),
    });
  }
}

function typed(key: string, text: string): string | number | boolean {
  const declaration = propertyByKey(key);
  if (declaration) return parseProperty(declaration, text) ?? text;
  return /^true$/i.test(text);
}
