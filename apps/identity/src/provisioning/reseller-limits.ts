import { Injectable } from '@nestjs/common';
import { ResellerErrors, RestErrors, type AdminPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Resellers } from '../configuration/resellers';
import { ResellerRepository } from '../configuration/reseller.repository';

/** Resources a call adds to a reseller. */
export interface Addition {
  readonly contexts?: number;
  readonly users?: number;
  readonly quotaMb?: number;
}

/** Quota of contexts without limit, MB. */
export const UNLIMITED = -1;

/** Growth of a file quota; removing the limit exceeds any reseller's capacity. */
export function computeQuotaGrowth(before: number, after: number): number {
  if (after === before) return 0;
  return after === UNLIMITED ? Infinity : after - Math.max(before, 0);
}

/** Ownership of contexts and limits of resellers. */
@Injectable()
export class ResellerLimits {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resellers: Resellers,
    private readonly rows: ResellerRepository,
  ) {}

  /**
   * Resolves the reseller of a new context: the requested one, else the caller's; null: none.
   * @throws REST-0403 for a reseller outside the caller's subtree, RSL-0002 for an unknown one
   */
  async resolveOwner(principal: AdminPrincipal, wanted: string | undefined): Promise<string | null> {
    const scope = await this.resellers.findScope(principal);
    const name = wanted ?? principal.reseller ?? '';
    if (scope && !scope.includes(name)) throw RestErrors.forbidden();
    if (name === '') return null;
    if (!(await this.resellers.loadTree()).findReseller(name)) throw ResellerErrors.parentUnknown(name);
    return name;
  }

  /** Requires capacity within the limits of the reseller and its ancestors. @throws RSL-0006 */
  async requireRoom(reseller: string | null, addition: Addition): Promise<void> {
    if (reseller === null) return;
    const tree = await this.resellers.loadTree();
    for (const each of tree.listChain(reseller)) {
      const limits = [
        ['contexts', each.maxContexts],
        ['users', each.maxUsers],
        ['quotaMb', each.maxQuotaMb],
      ] as const;
      if (!limits.some(([what, limit]) => limit !== null && (addition[what] ?? 0) > 0)) continue;
      const names = tree.listSubtreeNames(each.name);
      const usages = await this.database.acrossShards('the limits of a reseller count all of its contexts', (db) =>
        this.rows.getUsage(db, names),
      );
      for (const [what, limit] of limits) {
        const used = usages.reduce((sum, usage) => sum + usage[what], 0);
        const more = addition[what] ?? 0;
        if (limit !== null && more > 0 && used + more > limit) throw ResellerErrors.restricted(each.name, what, limit);
      }
    }
  }
}
