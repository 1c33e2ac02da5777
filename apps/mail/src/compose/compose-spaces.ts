import { randomUUID } from 'node:crypto';
import {
  ComposeErrors,
  MAX_COMPOSE_SPACES,
  type ComposeAttachment,
  type ComposeMeta,
  type ComposeOpenQuery,
  type ComposeSpace,
  type ComposeSpaceQuery,
  type ComposeUpdate,
  type MailAddress,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { toSecurity, toShared, toStoredFields, type StoredFields } from './compose-fields';
import { ComposePasswords } from './compose-passwords';
import {
  ComposeRepository,
  type AttachmentRow,
  type ChangedSpace,
  type SpaceKey,
  type SpaceRow,
  type SpaceState,
} from './compose.repository';

/** Names of fields that clients write otherwise. */
const OTHER_NAMES: Readonly<Record<string, string>> = { content_type: 'contentType' };
const ID = /^[\da-f]{32}$/;

/** An id as clients see it. */
export const toWireId = (uuid: string): string => uuid.replaceAll('-', '');
/** Whether a text may be the id of a space or a file. */
export const isWireId = (id: string): boolean => ID.test(id);

/** The space that a request names. @throws MSGCS-0007 */
export function toKey({ userId }: UserPrincipal, { id }: Pick<ComposeSpaceQuery, 'id'>): SpaceKey {
  if (!isWireId(id)) throw ComposeErrors.notFound(id);
  return { userId, id };
}

/** @throws MSGCS-0010 for a space that another window took over */
export function requireClaim(
  { claim }: SpaceState,
  { id, clientToken }: Pick<ComposeSpaceQuery, 'id' | 'clientToken'>,
): void {
  if (clientToken && claim !== null && claim !== clientToken) throw ComposeErrors.concurrentUpdate(id);
}

/** Keeps mails that users write. */
@Injectable()
export class ComposeSpaces {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly rows: ComposeRepository,
    private readonly passwords: ComposePasswords,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** Spaces of a user. @param columns names of fields, by comma; unknown ones are ignored. Default: all */
  async listSpaces(user: UserPrincipal, columns?: string): Promise<Partial<ComposeSpace>[]> {
    const { spaces, files } = await this.database.read(user, async (db) => {
      const found = await this.rows.list(db, user.userId);
      const ids = found.map(({ id }) => id);
      return { spaces: found, files: ids.length > 0 ? await this.rows.listAttachments(db, user.userId, ids) : [] };
    });
    const views = spaces.map((space) => toView(this.passwords.openRow(user, space), filesOf(files, space)));
    if (!columns) return views;
    const wanted = new Set(['id', ...columns.split(',').map((name) => OTHER_NAMES[name.trim()] ?? name.trim())]);
    return views.map((view) => Object.fromEntries(Object.entries(view).filter(([name]) => wanted.has(name))));
  }

  /** @throws MSGCS-0007 */
  async getSpace(user: UserPrincipal, query: ComposeSpaceQuery): Promise<ComposeSpace> {
    const { space, files } = await this.loadSpace(user, query);
    return toView(space, files);
  }

  /** The row of a space and its files. @throws MSGCS-0007 */
  loadSpace(
    user: UserPrincipal,
    query: Pick<ComposeSpaceQuery, 'id'>,
  ): Promise<{ readonly space: SpaceRow; readonly files: readonly AttachmentRow[] }> {
    const key = toKey(user, query);
    return this.database.read(user, async (db) => {
      const space = await this.rows.find(db, key);
      if (!space) throw ComposeErrors.notFound(query.id);
      const files = await this.rows.listAttachments(db, user.userId, [key.id]);
      return { space: this.passwords.openRow(user, space), files };
    });
  }

  /** Opens a space. @throws MSGCS-0011 */
  async openSpace(
    user: UserPrincipal,
    { clientToken, claim }: Pick<ComposeOpenQuery, 'clientToken' | 'claim'>,
    {
      id = toWireId(randomUUID()),
      contentType,
      meta,
      fields,
    }: {
      readonly id?: string;
      readonly contentType: string;
      readonly meta: StoredMeta;
      readonly fields: StoredFields;
    },
  ): Promise<string> {
    const most = await this.properties.get(MAX_COMPOSE_SPACES, user);
    const key = { userId: user.userId, id };
    await this.database.transact(user, async (tx) => {
      if ((await this.rows.countLocked(tx, user.userId)) >= most && most > 0) throw ComposeErrors.tooManySpaces(most);
      const now = this.clock.now();
      await this.rows.insert(tx, key, {
        contentType,
        meta: JSON.stringify(meta),
        claim: claim || clientToken || null,
        now,
      });
      await this.rows.update(tx, key, this.passwords.sealFields(user, fields), null, now);
    });
    return key.id;
  }

  /** Changes fields. @throws MSGCS-0007, MSGCS-0010, MSGCS-0015 to MSGCS-0021 */
  async updateSpace(user: UserPrincipal, query: ComposeSpaceQuery, update: ComposeUpdate): Promise<ComposeSpace> {
    const key = toKey(user, query);
    const fields = this.passwords.sealFields(user, toStoredFields(update));
    let changed: ChangedSpace | undefined;
    // It returns nothing: what is noted under the key of the call would be the text once more.
    await this.database.transact(user, async (tx) => {
      changed = await this.rows.update(tx, key, fields, query.clientToken || null, this.clock.now());
      if (!changed)
        throw (await this.rows.lock(tx, key))
          ? ComposeErrors.concurrentUpdate(query.id)
          : ComposeErrors.notFound(query.id);
    });
    return changed ? toView(this.passwords.openRow(user, changed.space), changed.files) : this.getSpace(user, query);
  }

  /** Drops a space and its files. @throws MSGCS-0007, MSGCS-0010 while it is sent, and when another window has it */
  async deleteSpace(user: UserPrincipal, query: ComposeSpaceQuery): Promise<void> {
    const key = toKey(user, query);
    await this.database.transact(user, async (tx) => {
      const now = this.clock.now();
      const found = await this.rows.lock(tx, key);
      if (!found) throw ComposeErrors.notFound(query.id);
      if (found.busyUntil !== null && found.busyUntil > now) throw ComposeErrors.concurrentUpdate(query.id);
      requireClaim(found, query);
      await this.rows.delete(tx, key, now);
    });
  }
}

const filesOf = (files: readonly AttachmentRow[], { id }: SpaceRow) => files.filter(({ spaceId }) => spaceId === id);

/** A file as clients see it. */
export const toAttachmentView = ({
  id,
  name,
  contentType,
  sizeBytes,
  cid,
  origin,
}: AttachmentRow): ComposeAttachment => ({
  id: toWireId(id),
  name,
  size: sizeBytes,
  mimeType: contentType,
  ...(cid === null ? {} : { cid }),
  contentDisposition: cid === null ? 'ATTACHMENT' : 'INLINE',
  origin: origin as ComposeAttachment['origin'],
});

/** Purpose of a space as it is stored. */
export interface StoredMeta extends ComposeMeta {
  /** The user as sender of an answer, and the address of the author in whose name it is. */
  readonly agent?: { readonly author: string; readonly sender: MailAddress };
  /** The link to the files had a password in the draft that could not be opened. */
  readonly lostPassword?: true;
}

/** Whether the password is missing that the link to the files of a space is to have. */
export function lacksPassword({ meta, shared }: SpaceRow): boolean {
  const { enabled, password } = toShared(JSON.parse(shared));
  return (JSON.parse(meta) as StoredMeta).lostPassword === true && enabled && !password;
}

/** A space as clients see it. */
export function toView(space: SpaceRow, files: readonly AttachmentRow[]): ComposeSpace {
  const { sender, recipients, copies, blindCopies, replyTo } = space;
  const from = JSON.parse(sender) as MailAddress | null;
  const answersTo = JSON.parse(replyTo) as MailAddress[];
  const { agent, lostPassword: _lost, ...meta } = JSON.parse(space.meta) as StoredMeta;
  return {
    id: toWireId(space.id),
    ...(from ? { from } : {}),
    ...(agent && from?.[1] === agent.author ? { sender: agent.sender } : {}),
    to: JSON.parse(recipients) as MailAddress[],
    cc: JSON.parse(copies) as MailAddress[],
    bcc: JSON.parse(blindCopies) as MailAddress[],
    ...(answersTo.length > 0 ? { reply_to: answersTo } : {}),
    subject: space.subject,
    content: space.content,
    contentType: space.contentType,
    attachments: files.map(toAttachmentView),
    meta,
    requestReadReceipt: space.receipt,
    priority: space.priority as ComposeSpace['priority'],
    security: toSecurity(JSON.parse(space.security)),
    sharedAttachments: toShared(JSON.parse(space.shared)),
  };
}
