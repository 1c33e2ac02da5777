import { randomUUID } from 'node:crypto';
import {
  CatalogueError,
  RequestErrors,
  type ComposeOpenQuery,
  type ComposeSpace,
  type ComposeType,
  type ComposeUpdate,
  type UserPrincipal,
  type UserRequest,
} from '@groupware/contracts';
import { Injectable } from '@nestjs/common';
import { requirePlace, type MailPlace } from '../domain/mail-path';
import { OutgoingFiles } from '../sending/outgoing-files';
import { toContentType, toStoredFields } from './compose-fields';
import { ComposeCards } from './compose-cards';
import { ComposeFiles } from './compose-files';
import { ComposeOriginals, type OriginalType } from './compose-originals';
import { MailPreferences } from '../accounts/mail-preferences';
import { ComposeSpaces, toWireId } from './compose-spaces';

/** Names that clients give to kinds of spaces that begin with another mail. */
const TYPES: ReadonlyMap<string, OriginalType> = new Map([
  ['reply', 'REPLY'],
  ['replyall', 'REPLY_ALL'],
  ['reply_all', 'REPLY_ALL'],
  ['forward', 'FORWARD_INLINE'],
  ['edit', 'EDIT'],
  ['copy', 'COPY'],
  ['resend', 'RESEND'],
] satisfies [string, ComposeType][]);
/** Most mails of one request. */
const MAX_PLACES = 100;

/** A space that was opened, and what could not be taken over. */
export interface OpenedSpace {
  readonly space: ComposeSpace;
  readonly warnings: readonly CatalogueError[];
}

/** Opens composition spaces. */
@Injectable()
export class ComposeOpening {
  constructor(
    private readonly spaces: ComposeSpaces,
    private readonly composeFiles: ComposeFiles,
    private readonly originals: ComposeOriginals,
    private readonly files: OutgoingFiles,
    private readonly cards: ComposeCards,
    private readonly preferences: MailPreferences,
  ) {}

  /** @throws SVL-0010 for another type, SVL-0031, MSGCS-0011, and what {@link ComposeOriginals.prepareSpace} throws */
  async openSpace(request: UserRequest, query: ComposeOpenQuery, body: unknown): Promise<OpenedSpace> {
    const { principal } = request;
    const wanted = query.type ?? 'new';
    const type = TYPES.get(wanted.toLowerCase());
    const isNew = wanted.toLowerCase() === 'new';
    if (!type && !isNew) throw RequestErrors.badParameter('type', wanted.slice(0, 100));
    const contentType = query.contentType === undefined ? undefined : toContentType(query.contentType);
    const update: ComposeUpdate = {
      ...(query.priority === undefined ? {} : { priority: query.priority }),
      ...(query.requestReadReceipt === undefined ? {} : { requestReadReceipt: query.requestReadReceipt }),
    };
    if (!type) {
      const id = await this.spaces.openSpace(principal, query, {
        contentType: contentType ?? ((await this.preferences.usesPlainText(request)) ? 'text/plain' : 'text/html'),
        meta: { type: 'NEW' },
        fields: toStoredFields(update),
      });
      return this.showSpace(principal, id, query, []);
    }
    const id = toWireId(randomUUID());
    const prepared = await this.originals.prepareSpace(request, type, parsePlaces(body), {
      spaceId: id,
      ...(contentType ? { contentType } : {}),
      ...(query.originalAttachments === undefined ? {} : { originalAttachments: query.originalAttachments }),
    });
    const { meta, files, warnings } = prepared;
    try {
      const fields = toStoredFields({ ...prepared.update, ...update });
      await this.spaces.openSpace(principal, query, { id, contentType: prepared.contentType, meta, fields });
    } catch (error) {
      await this.files.discardFiles(files);
      throw error;
    }
    try {
      if (files.length > 0) await this.composeFiles.addFiles(principal, { id }, files);
    } catch (error) {
      await this.spaces.deleteSpace(principal, { id });
      throw error;
    }
    return this.showSpace(principal, id, query, warnings);
  }

  /** Attaches the card where it is wanted: a space without one is better than none, so that it is missing is a warning. */
  private async showSpace(
    user: UserPrincipal,
    id: string,
    { vcard }: ComposeOpenQuery,
    warnings: readonly CatalogueError[],
  ): Promise<OpenedSpace> {
    const problems = [...warnings];
    if (vcard)
      await this.cards.attachCard(user, { id }).catch((error: unknown) => {
        if (!(error instanceof CatalogueError)) throw error;
        problems.push(error);
      });
    return { space: await this.spaces.getSpace(user, { id }), warnings: problems };
  }
}

/** The mails that a body names: `[{id, folderId}]`, or one of them. @throws SVL-0031, MSG-0032 */
function parsePlaces(body: unknown): readonly [MailPlace, ...MailPlace[]] {
  const named: unknown[] = Array.isArray(body) ? (body as unknown[]) : body === undefined ? [] : [body];
  if (named.length > MAX_PLACES) throw RequestErrors.badBodyData(`at most ${MAX_PLACES} mails are expected`);
  const [first, ...others] = named.map((each) => {
    const { id, folderId, folder_id, folder } = (each ?? {}) as Record<string, unknown>;
    const within = folderId ?? folder_id ?? folder;
    // Clients name mails by texts and by numbers.
    if ((typeof id !== 'string' && typeof id !== 'number') || typeof within !== 'string')
      throw RequestErrors.badBodyData('mails are expected, as {id, folderId}');
    return requirePlace(within, String(id));
  });
  if (!first) throw RequestErrors.badBodyData('the mail is missing that the type is about');
  return [first, ...others];
}
