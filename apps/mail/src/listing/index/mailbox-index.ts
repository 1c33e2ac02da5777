import { isSameState, type MailboxState } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { FolderIndex } from './folder-index';
import { MailboxIndexSettings } from './mailbox-index-settings';

/**
 * Keeps orders and conversations of large folders in memory, of each the newest state, for the users who look at them. Whatever
 * is forgotten is asked of the server again.
 */
@Injectable()
export class MailboxIndex {
  private readonly folders: LRUCache<string, FolderIndex>;

  constructor(private readonly settings: MailboxIndexSettings) {
    this.folders = new LRUCache<string, FolderIndex>({
      maxSize: Math.max(1, settings.maxBytes),
      sizeCalculation: (index) => index.bytes,
      ttl: settings.idleMs,
      updateAgeOnGet: true,
      ttlAutopurge: false,
    });
  }

  /**
   * The index of a folder in a state; undefined for those of which the server is quicker than what would be gained.
   * @param key user, account with its server, and folder
   */
  openFolder(key: string, state: MailboxState | undefined): FolderIndex | undefined {
    const { maxBytes, largeMailbox } = this.settings;
    if (!state || state.messages < largeMailbox || maxBytes === 0) return undefined;
    const known = this.folders.get(key);
    if (known && isSameState(known.state, state)) return known;
    const earlier = known?.state.validity === state.validity ? known.knownLists : new Map<string, readonly number[]>();
    const resized = (index: FolderIndex) => {
      // Otherwise it was replaced or forgotten.
      if (this.folders.peek(key) !== index) return;
      // An entry that is set again keeps its size.
      this.folders.delete(key);
      this.folders.set(key, index);
    };
    const index = new FolderIndex(state, earlier, resized);
    this.folders.set(key, index);
    return index;
  }

  /** Folders that are known at the moment. */
  get size(): number {
    return this.folders.size;
  }

  /** Memory that they take, bytes. */
  get bytes(): number {
    return this.folders.calculatedSize ?? 0;
  }
}
