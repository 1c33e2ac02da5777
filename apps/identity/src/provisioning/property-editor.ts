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
import { PropertyRepository } from '../configuration/property.repository';
import type { Actor } from '../domain/actor';

/** User 0 stands for the context. */
const CONTEXT = 0;

/** Sets values of the configuration cascade where they may be set. */
@Injectable()
export class PropertyEditor {
  constructor(
    private readonly properties: PropertyRepository,
    private readonly audit: AuditRepository,
    private readonly clock: Clock,
  ) {}

  /** The value set in one scope. @throws PROV-0015 */
  async getProperty(db: Reader, userId: number, key: string): Promise<PropertyEntry> {
    const text = await this.properties.findValue(db, userId, key);
    if (text === undefined) throw ProvisioningErrors.propertyNotSet(key);
    return { name: key, value: parseTyped(key, text) };
  }

  /** Sets a value in one scope. @throws PROV-0013, PROV-0014 */
  async setProperty(
    tx: Transaction,
    userId: number,
    key: string,
    value: unknown,
    actor: Actor,
  ): Promise<PropertyEntry> {
    const scope = userId === CONTEXT ? 'context' : 'user';
    const declaration = propertyByKey(key);
    if (!declaration && !isCapabilityKey(key)) throw ProvisioningErrors.propertyNotSettable(key, scope);
    if (declaration && !declaration.scopes.includes(scope)) throw ProvisioningErrors.propertyNotSettable(key, scope);
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
    const fits =
      text !== undefined &&
      (declaration ? parseProperty(declaration, text) !== undefined : /^(true|false)$/i.test(text));
    if (!fits) throw ProvisioningErrors.badPropertyValue(key);
    const before = await this.properties.findValue(tx, userId, key);
    await this.properties.upsert(tx, userId, key, text);
    await this.recordAudit(tx, userId, key, { before, after: text }, actor);
    return { name: key, value: parseTyped(key, text) };
  }

  /** Removes a value from one scope; answers whether there was one. */
  async removeProperty(tx: Transaction, userId: number, key: string, actor: Actor): Promise<boolean> {
    const before = await this.properties.findValue(tx, userId, key);
    if (before === undefined) return false;
    await this.properties.delete(tx, userId, key);
    await this.recordAudit(tx, userId, key, { before }, actor);
    return true;
  }

  private async recordAudit(
    tx: Transaction,
    userId: number,
    key: string,
    { before, after }: { before?: string; after?: string },
    actor: Actor,
  ): Promise<void> {
    await tx.publish(identityEvents['property.changed'], userId === CONTEXT ? {} : { userId });
    await this.audit.insert(tx, {
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

function parseTyped(key: string, text: string): string | number | boolean {
  const declaration = propertyByKey(key);
  if (declaration) return parseProperty(declaration, text) ?? text;
  return /^true$/i.test(text);
}
