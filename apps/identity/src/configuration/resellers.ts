import { Injectable } from '@nestjs/common';
import { RestErrors, type AdminPrincipal } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ResellerTree } from '../domain/reseller-tree';
import { ResellerRepository, type ResellerRow } from '../persistence/reseller.repository';

/** Topic of the broadcast that somebody changed a reseller. */
const RESELLERS_CHANGED = 'resellers-changed';
/** Resellers are read again after so long even without word of a change, ms. */
const LIFE_MS = 30_000;
const PAGE = 500;

/** All resellers, kept in memory: every look-up in the cascade asks for those above a context. */
@Injectable()
export class Resellers {
  private known: { readonly tree: Promise<ResellerTree<ResellerRow>>; readonly until: number } | undefined;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ResellerRepository,
    private readonly events: EventBus,
    private readonly clock: Clock,
  ) {
    events.onBroadcast(RESELLERS_CHANGED, () => (this.known = undefined));
  }

  /** The resellers as they are now, or were within the last seconds. */
  tree(): Promise<ResellerTree<ResellerRow>> {
    const now = this.clock.now();
    if (this.known && this.known.until > now) return this.known.tree;
    const tree = this.database.acrossContexts((db) => this.rows.all(db)).then((rows) => new ResellerTree(rows));
    const known = { tree, until: now + LIFE_MS };
    this.known = known;
    tree.catch(() => this.known === known && (this.known = undefined));
    return tree;
  }

  /** Forgets what is known, here and in every other process. */
  changed(): void {
    this.known = undefined;
    this.events.broadcast(RESELLERS_CHANGED, {});
  }

  /** Names of resellers for whose contexts an administrator answers; undefined: for all contexts. */
  async scopeOf(principal: Pick<AdminPrincipal, 'kind' | 'reseller'>): Promise<readonly string[] | undefined> {
    if (principal.kind !== 'reseller') return undefined;
    return (await this.tree()).subtreeOf(principal.reseller!);
  }

  /** The reseller of a context; undefined for a context without, and for an unknown one. */
  async ownerOf(contextId: number): Promise<string | undefined> {
    return this.database.read({ contextId }, (db) => this.rows.ownerOf(db));
  }

  /** Refuses unless every context belongs to the subtree of the administrator. @throws REST-0403, also for unknown contexts */
  async expectResponsible(principal: AdminPrincipal, contextIds: readonly number[]): Promise<void> {
    const names = await this.scopeOf(principal);
    if (!names) return;
    const wanted = [...new Set(contextIds)];
    const owned = await this.database.acrossShards((db) => this.rows.ownedOf(db, names, wanted));
    if (new Set(owned.flat()).size < wanted.length) throw RestErrors.forbidden();
  }

  /** Ids of all contexts of resellers, page by page. */
  async *contextsOf(names: readonly string[]): AsyncIterable<number[]> {
    for (const shard of await this.database.shardNames())
      for (let after = 0; ;) {
        const ids = await this.database.onShard(shard, (db) => this.rows.contextsOf(db, names, after, PAGE));
        if (ids.length > 0) yield ids;
        if (ids.length < PAGE) break;
        after = ids.at(-1)!;
      }
  }
}
