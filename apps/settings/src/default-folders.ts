import { Injectable } from '@nestjs/common';
import type { FolderModule, UserPrincipal } from '@groupware/contracts';
import { Clock } from '@groupware/service-kit';

/** How long an id is believed, ms. It never changes while its folder is there. */
const LIFE_MS = 30_000;
/** Most ids kept in memory. */
const MAX_IDS = 50_000;

/** A folder that a module keeps for each user. */
export type UserFolder = FolderModule | 'trash of files';

/** Ids of folders that modules keep for users, as they told: every client asks for them several times when it starts. */
@Injectable()
export class DefaultFolders {
  private readonly known = new Map<string, { readonly id: string; readonly until: number }>();

  constructor(private readonly clock: Clock) {}

  /** The id of a user's folder, asked with `ask` unless it is known; undefined where there is none, or the module does not answer. */
  async find(
    { contextId, userId }: UserPrincipal,
    folder: UserFolder,
    ask: () => Promise<number | null | undefined>,
  ): Promise<string | undefined> {
    const key = `${contextId}:${userId}:${folder}`;
    const now = this.clock.now();
    const found = this.known.get(key);
    if (found && found.until > now) return found.id;
    const id = await ask();
    if (id == null) return undefined;
    if (this.known.size >= MAX_IDS) this.known.clear();
    this.known.set(key, { id: String(id), until: now + LIFE_MS });
    return String(id);
  }
}
