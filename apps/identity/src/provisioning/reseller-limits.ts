import { Injectable } from '@nestjs/common';
import { ResellerErrors, RestErrors, type AdminPrincipal } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Resellers } from '../configuration/resellers';
import { ResellerRepository } from '../persistence/reseller.repository';

/** What a call is about to add to what a reseller has. */
export interface Addition {
  readonly contexts?: number;
  readonly users?: number;
  readonly quotaMb?: number;
}

/** Quota of contexts without limit, MB. */
export const UNLIMITED = -1;

/** What a change of a file quota takes of the room of a reseller; one without limit takes more than any has. */
export function quotaGrowth(before: number, after: number): number {
  if (after === before) return 0;
  return after === UNLIMITED ? Infinity : after - Math.max(before, 0);
}

/** To whom contexts belong, and how much of them a reseller may have. */
@Injectable()
export class ResellerLimits {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly resellers: Resellers,
    private readonly rows: ResellerRepository,
  ) {}

  /**
   * The reseller of a new context: the one named, else the one who asks. null: none.
   * @throws REST-0403 for a reseller outside the subtree of the one who asks, RSL-0002 for an unknown one
   */
  async ownerFor(principal: AdminPrincipal, wanted: string | undefined): Promise<string | null> {
    const scope = await this.resellers.scopeOf(principal);
    const name = wanted ?? principal.reseller ?? '';
    if (scope && !scope.includes(name)) throw RestErrors.forbidden();
    if (name === '') return null;
    if (!(await this.resellers.tree()).get(name)) throw ResellerErrors.parentUnknown(name);
    return name;
  }

  /** Refuses what would go beyond a limit of the reseller or of one above it. @throws RSL-0006 */
  async expectRoom(reseller: string | null, addition: Addition): Promise<void> {
    if (reseller === null) return;
    const tree = await this.resellers.tree();
    for (const each of tree.chainOf(reseller)) {
      const limits = [
        ['contexts', each.maxContexts],
        ['users', each.maxUsers],
        ['quotaMb', each.maxQuotaMb],
      ] as const;
      if (!limits.some(([what, limit]) => limit !== null && (addition[what] ?? 0) > 0)) continue;
      const names = tree.subtreeOf(each.name);
      const usages = await this.database.acrossShards((db) => this.rows.usage(db, names));
      for (const [what, limit] of limits) {
        const used = usages.reduce((sum, usage) => sum + usage[what], 0);
        const more = addition[what] ?? 0;
        if (limit !== null && more > 0 && used + more > limit) throw ResellerErrors.restricted(each.name, what, limit);
      }
    }
  }
}
