import type { UserPrincipal } from '@groupware/contracts';
import {
  createPreview,
  ContentWorkers,
  findPreviewPart,
  fromBodyStructure,
  type PreviewPart,
} from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import type { FetchMessageObject } from 'imapflow';
import { LRUCache } from 'lru-cache';
import type { OpenFolder } from '../accounts/mailboxes';
import { toMailFolderId } from '../domain/mail-folder';

/** Most previews that are remembered: texts of mails never change. */
const MAX_REMEMBERED = 10_000;
/** Mails whose texts are in memory at once. */
const BLOCK = 100;

/** Begins of the texts of mails. */
@Injectable()
export class MailPreviews {
  private readonly made = new LRUCache<string, string>({ max: MAX_REMEMBERED });

  constructor(private readonly workers: ContentWorkers) {}

  /**
   * Begins of texts of the selected folder, by UID: those that the server or this process has, with `makesMissing` all others, too. All of a page
   * are read by a command for each place that texts have in mails, of which there are few.
   */
  async readPreviews(
    user: UserPrincipal,
    open: OpenFolder,
    messages: readonly FetchMessageObject[],
    makesMissing: boolean,
  ): Promise<ReadonlyMap<number, string>> {
    const { session } = open;
    const told = await session.fetchPreviews(messages.map(({ uid }) => uid));
    const previews = new Map([...told].filter(([, preview]) => !isUnread(preview)));
    const keyOf = toKeys(user, open);
    const missing = messages.filter(({ uid }) => {
      const known = previews.has(uid) ? undefined : this.made.get(keyOf(uid));
      if (known !== undefined) previews.set(uid, known);
      return !previews.has(uid);
    });
    if (!makesMissing) return previews;
    for (const [uid, preview] of await this.makePreviews(open, missing)) {
      previews.set(uid, preview);
      this.made.set(keyOf(uid), preview);
    }
    return previews;
  }

  private async makePreviews(
    { session }: OpenFolder,
    messages: readonly FetchMessageObject[],
  ): Promise<ReadonlyMap<number, string>> {
    const unknown = messages.filter(({ bodyStructure }) => !bodyStructure).map(({ uid }) => uid);
    const read = unknown.length > 0 ? await session.fetch(unknown, { uid: true, bodyStructure: true }) : [];
    const places = new Map<string, Map<number, PreviewPart>>();
    const made = new Map<number, string>();
    for (const { uid, bodyStructure } of [...messages, ...read]) {
      const found = bodyStructure && findPreviewPart(fromBodyStructure(bodyStructure));
      if (found)
        places.set(found.part.id, (places.get(found.part.id) ?? new Map<number, PreviewPart>()).set(uid, found));
      else if (bodyStructure) made.set(uid, '');
    }
    for (const [key, parts] of places) {
      const uids = [...parts.keys()];
      const maxLength = Math.max(...[...parts.values()].map(({ maxBytes }) => maxBytes));
      for (let index = 0; index < uids.length; index += BLOCK) {
        const block = uids.slice(index, index + BLOCK);
        const begins = await session.fetch(block, { uid: true, bodyParts: [{ key, start: 0, maxLength }] });
        for (const { uid, bodyParts } of begins) {
          const begin = bodyParts?.get(key) ?? Buffer.alloc(0);
          const preview = await createPreview(this.workers, parts.get(uid)!.part, begin);
          if (preview !== undefined) made.set(uid, preview);
        }
      }
    }
    return made;
  }
}

/** Whether a server took for a preview what it cannot read: an unknown charset, markup other than HTML, files within the text. */
const isUnread = (preview: string): boolean => /\ufffd|<\/?[a-z]+>|\bbegin [0-7]{3,4} \S/i.test(preview);

/** Keys of the mails of the selected folder, as long as it lives. */
function toKeys({ contextId, userId }: UserPrincipal, { session, account, folder }: OpenFolder) {
  const place = JSON.stringify([contextId, userId, account.server?.host, account.login, toMailFolderId(folder)]);
  const { uidValidity } = session.mailbox;
  return (uid: number): string => `${place}/${uidValidity}/${uid}`;
}
