import {
  SHARE_NOTIFY_INTERNAL,
  type DirectoryEntity,
  type DirectoryUser,
  type EventMessage,
  type MailRecipient,
  type SharedKind,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Properties } from '@groupware/service-kit';
import { Injectable } from '@nestjs/common';
import { MailQueue } from './mail-queue';
import type { NewMail } from './persistence/mail.repository';

/** A share that users and the members of groups are told about. */
export interface ShareNotice {
  /** Unique in the context: with the same key an address gets one mail. */
  readonly key: string;
  readonly template: 'folderShared' | 'documentShared';
  readonly contextId: number;
  /** The user who shares. */
  readonly userId: number;
  readonly entities: readonly number[];
  readonly title?: string | undefined;
  readonly shared?: SharedKind;
  readonly message?: string | undefined;
}

/** Writes the mails that tell users of what is shared with them. */
@Injectable()
export class ShareNotices {
  constructor(
    private readonly directory: Directory,
    private readonly queue: MailQueue,
    private readonly properties: Properties,
  ) {}

  /** The mails of each event, by its id. */
  async composeEach(
    messages: readonly EventMessage[],
    toNotice: (message: EventMessage) => ShareNotice,
  ): Promise<ReadonlyMap<string, readonly NewMail[]>> {
    const mails = new Map<string, readonly NewMail[]>();
    for (const message of messages) mails.set(message.id, await this.compose(toNotice(message)));
    return mails;
  }

  private async compose({
    key,
    template,
    contextId,
    userId,
    entities,
    title,
    shared,
    message,
  }: ShareNotice): Promise<NewMail[]> {
    const tenant = { contextId };
    if (!(await this.properties.get(SHARE_NOTIFY_INTERNAL, { ...tenant, userId }))) return [];
    const known = await this.directory.getEntities(tenant, [userId, ...entities]);
    const sender = known.get(userId);
    if (sender?.kind !== 'user') return [];
    const named = entities.flatMap((id) => known.get(id) ?? []);
    const members = await this.directory.getEntities(tenant, named.flatMap(listMembers));
    const users = [...named, ...members.values()].filter(
      (entity): entity is DirectoryUser => entity.kind === 'user' && entity.enabled && entity.id !== userId,
    );
    return this.queue.compose({
      key,
      template,
      values: {
        sender: sender.displayName,
        ...(title !== undefined && { folder: title }),
        ...(shared && { shared }),
        ...(message ? { message } : {}),
      },
      recipients: users.filter(({ email }) => email !== '').map(toRecipient),
      replyTo: sender.email,
    });
  }
}

const listMembers = (entity: DirectoryEntity): readonly number[] => (entity.kind === 'group' ? entity.members : []);

const toRecipient = ({ email, displayName, locale }: DirectoryUser): MailRecipient => ({
  address: email,
  name: displayName,
  locale,
});
