import { Injectable } from '@nestjs/common';
import {
  parseProperty,
  propertyByKey,
  ProvisioningErrors,
  ResellerErrors,
  type AdminPrincipal,
  type EdgeRequest,
  type ResellerData,
  type ResellerInput,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { isCapabilityKey } from '../domain/capabilities';
import { Passwords } from '../domain/passwords';
import { ResellerTree } from '../domain/reseller-tree';
import { ResellerRepository, type ResellerRow } from '../configuration/reseller.repository';
import { InstallationAudit } from './installation-audit';
import { requireVersion } from './version';

/** Creates, replaces and removes resellers. */
@Injectable()
export class ResellerEditor {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resellers: ResellerRepository,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
    private readonly audit: InstallationAudit,
  ) {}

  /**
   * Creates or replaces a reseller; answers it, and whether it is new.
   * @throws RSL-0002, RSL-0003, RSL-0004, PROV-0013, PROV-0014, REST-0412
   */
  async upsertReseller(
    name: string,
    input: ResellerInput,
    principal: AdminPrincipal,
    edge: EdgeRequest | undefined,
  ): Promise<{ row: ResellerRow; created: boolean }> {
    const config = toConfig(input.config ?? {});
    const hash = input.password ? await this.passwords.hash(input.password) : undefined;
    return this.database.acrossContexts('resellers belong to the installation', async (db) => {
      const all = await this.resellers.lockAll(db);
      const tree = new ResellerTree(all);
      const before = tree.findReseller(name);
      if (before) requireVersion(edge, before.version);
      const parent = input.parent ? input.parent : null;
      if (parent !== null && tree.wouldCreateCycle(name, parent)) throw ResellerErrors.circle(name);
      if (parent !== null && !tree.findReseller(parent)) throw ResellerErrors.parentUnknown(parent);
      const kept = hash ?? before?.hash;
      if (kept === undefined) throw ResellerErrors.passwordMissing();
      await this.resellers.upsert(db, {
        name,
        displayName: input.displayName ?? name,
        parent,
        hash: kept,
        config,
        taxonomyTypes: input.taxonomies ?? [],
        capabilitiesAdded: input.capabilities?.add ?? [],
        capabilitiesRemoved: input.capabilities?.remove ?? [],
        maxContexts: input.restrictions?.maxContexts ?? null,
        maxUsers: input.restrictions?.maxUsers ?? null,
        maxQuotaMb: input.restrictions?.maxQuotaMb ?? null,
        createdAt: this.clock.now(),
        version: 0,
      });
      const row = (await this.resellers.listAll(db)).find((each) => each.name === name)!;
      await this.audit.record(db, principal, {
        action: before ? 'change' : 'create',
        kind: 'reseller',
        objectId: name,
        ...(before ? { before: toResellerView(before) } : {}),
        after: toResellerView(row),
      });
      return { row, created: before === undefined };
    });
  }

  /** Removes a reseller; answers false when there is none. @throws RSL-0005, REST-0412 */
  async removeReseller(name: string, principal: AdminPrincipal, edge: EdgeRequest | undefined): Promise<boolean> {
    const used = await this.database.acrossShards('a reseller with contexts stays', (db) =>
      this.resellers.listContextIds(db, [name], 0, 1),
    );
    return this.database.acrossContexts('resellers belong to the installation', async (db) => {
      const tree = new ResellerTree(await this.resellers.lockAll(db));
      const before = tree.findReseller(name);
      if (!before) return false;
      requireVersion(edge, before.version);
      if (tree.listChildren(name).length > 0 || used.some((ids) => ids.length > 0)) throw ResellerErrors.inUse(name);
      await this.resellers.delete(db, name);
      await this.audit.record(db, principal, {
        action: 'delete',
        kind: 'reseller',
        objectId: name,
        before: toResellerView(before),
      });
      return true;
    });
  }
}

/** Values as texts. What may be set for a context may be set for a reseller. @throws PROV-0013, PROV-0014 */
function toConfig(input: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const declaration = propertyByKey(key);
      const settable = declaration ? declaration.scopes.some((scope) => scope !== 'server') : isCapabilityKey(key);
      if (!settable) throw ProvisioningErrors.propertyNotSettable(key, 'reseller');
      const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
      const fits =
        text !== undefined &&
        (declaration ? parseProperty(declaration, text) !== undefined : /^(true|false)$/i.test(text));
      if (!fits) throw ProvisioningErrors.badPropertyValue(key);
      return [key, text];
    }),
  );
}

/** A reseller as operators see it. */
export const toResellerView = (row: ResellerRow): ResellerData => ({
  name: row.name,
  displayName: row.displayName,
  ...(row.parent === null ? {} : { parent: row.parent }),
  config: row.config,
  taxonomies: row.taxonomyTypes,
  capabilities: { add: row.capabilitiesAdded, remove: row.capabilitiesRemoved },
  restrictions: {
    ...(row.maxContexts === null ? {} : { maxContexts: row.maxContexts }),
    ...(row.maxUsers === null ? {} : { maxUsers: row.maxUsers }),
    ...(row.maxQuotaMb === null ? {} : { maxQuotaMb: row.maxQuotaMb }),
  },
  createdAt: row.createdAt,
  version: row.version,
});
