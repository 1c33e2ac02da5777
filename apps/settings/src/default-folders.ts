import { Injectable } from '@nestjs/common';
import type { FolderModule, UserPrincipal } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';

/** How long an id is believed, ms. It never changes while its user is there. */
const LIFE_MS = 30_000;
/** Most ids kept in memory. */
const MAX_IDS = 50_000;

/** Ids of default folders that modules told: every client asks for them several times when it starts. */
@Injectable()
export class DefaultFolders {
  private readonly known = new Map<string, { readonly id: string; readonly until: number }>();

  constructor(private readonly clock: Clock) {}

  /** The id of a user's default folder, asked with `ask` unless it is known; undefined where the module does not answer. */
  async find(
    { contextId, userId }: UserPrincipal,
    module: FolderModule,
    ask: () => Promise<number | undefined>,
  ): Promise<string | undefined> {
    const key = `${contextId}:${userId}:${module}`;
    const now = this.clock.now();
    const found = this.known.get(key);
    if (found && found.until > now) return found.id;
    const id = await ask();
    if (id === undefined) return undefined;
    if (this.known.size >= MAX_IDS) this.known.clear();
    this.known.set(key, { id: String(id), until: now + LIFE_MS });
    return String(id);
  }
}
