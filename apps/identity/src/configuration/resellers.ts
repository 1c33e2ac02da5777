import { Injectable } from '@nestjs/common';
import { CONTEXT_RIGHTS, recordCheck, RestErrors, type AdminPrincipal } from '@groupware/contracts';
import { EventBus } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock } from '@groupware/service-kit';
import { ResellerTree } from '../domain/reseller-tree';
import { ResellerRepository, type ResellerRow } from './reseller.repository';

/** Broadcast topic for changes of resellers. */
const RESELLERS_CHANGED = 'resellers-changed';
/** Cache lifetime where a broadcast was lost, ms. */
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
  loadTree(): Promise<ResellerTree<ResellerRow>> {
    const now = this.clock.now();
    if (this.known && this.known.until > now) return this.known.tree;
    const tree = this.database
      .acrossContexts('resellers belong to the installation', (db) => this.rows.listAll(db))
      .then((rows) => new ResellerTree(rows));
    const known = { tree, until: now + LIFE_MS };
    this.known = known;
    tree.catch(() => this.known === known && (this.known = undefined));
    return tree;
  }

  /** Drops the cache, here and in all other processes. */
  invalidate(): void {
    this.known = undefined;
    this.events.broadcast(RESELLERS_CHANGED, {});
  }

  /** Finds the resellers an administrator is responsible for; undefined: all contexts. */
  async findScope(principal: Pick<AdminPrincipal, 'kind' | 'reseller'>): Promise<readonly string[] | undefined> {
    recordCheck(CONTEXT_RIGHTS.responsible);
    if (principal.kind !== 'reseller') return undefined;
    return (await this.loadTree()).listSubtreeNames(principal.reseller!);
  }

  /** Finds the reseller of a context; undefined for contexts without one and for unknown contexts. */
  async findOwner(contextId: number): Promise<string | undefined> {
    return this.database.read({ contextId }, (db) => this.rows.findOwner(db));
  }

  /**
   * Requires every context to belong to the subtree of the administrator.
   * @throws REST-0403, also for unknown contexts
   */
  async requireResponsible(principal: AdminPrincipal, contextIds: readonly number[]): Promise<void> {
    const names = await this.findScope(principal);
    if (!names) return;
    const wanted = [...new Set(contextIds)];
    const owned = await this.database.acrossShards('a reseller owns contexts', (db) =>
      this.rows.filterOwned(db, names, wanted),
    );
    if (new Set(owned.flat()).size < wanted.length) throw RestErrors.forbidden();
  }

  /** Ids of all contexts of resellers, page by page. */
  async *scanContextIds(names: readonly string[]): AsyncIterable<number[]> {
    for (const shard of await this.database.shardNames())
      for (let after = 0; ;) {
        const ids = await this.database.onShard(shard, 'a reseller owns contexts', (db) =>
          this.rows.listContextIds(db, names, after, PAGE),
        );
        if (ids.length > 0) yield ids;
        if (ids.length < PAGE) break;
        after = ids.at(-1)!;
      }
  }
}
