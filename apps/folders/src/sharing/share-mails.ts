import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  outgoingMail,
  SHARE_GUEST_HOST,
  SHARED_KINDS,
  toGuestEdge,
  type CatalogueError,
  type EdgeRequest,
  type FolderKey,
  type SharedKind,
  type SharingNotice,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { inviteGuests, toMailWarnings } from '@groupware/folders';
import { Caller } from '@groupware/messaging';
import { BasePathSettings, Properties } from '@groupware/service-kit';
import { Owners, type FolderRequest } from '../owners/owners';
import type { LinkTarget } from './link-targets';

/** A request that arrived over the edge. */
export interface ShareRequest extends FolderRequest {
  readonly edge?: EdgeRequest;
  readonly idempotencyKey?: string;
}

/** A recipient as the client names it. */
export interface LinkRecipient {
  readonly name?: string;
  readonly address: string;
}

/** Content of a mail with a link. */
export interface LinkMail {
  readonly target: LinkTarget;
  readonly url: string;
  readonly pin?: string | undefined;
  /** Text of the user. */
  readonly message?: string | undefined;
}

/** Longest time that a call waits for the mail server, ms: what takes longer is sent later. */
const WAIT_MS = 5_000;

/** Mails that bring the address of a share to others. What is not sent at once is told by warnings. */
@Injectable()
export class ShareMails {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly owners: Owners,
    private readonly base: BasePathSettings,
    private readonly properties: Properties,
  ) {}

  /** Sends the address of a link with its pin. Answers warnings about those who do not get it, or not yet. */
  async sendLink(
    request: ShareRequest,
    { target: { title, module, item }, url, pin, message }: LinkMail,
    recipients: readonly LinkRecipient[],
  ): Promise<CatalogueError[]> {
    const { principal } = request;
    const shared = item === undefined ? toSharedKind(module) : 'document';
    const known = await this.directory.findByAddresses(
      principal,
      recipients.map(({ address }) => address),
    );
    const localeOf = (address: string): string => {
      const entity = known.get(address.toLowerCase());
      return entity?.kind === 'user' ? entity.locale : principal.locale;
    };
    const outcomes = await this.caller.call(outgoingMail.send, {
      ...this.owners.toCallOptions(request),
      query: {
        key: `link ${request.idempotencyKey ?? randomUUID()}`,
        template: 'shareLink',
        values: {
          ...{ sender: toSenderName(request), folder: title, url },
          ...(shared && { shared }),
          ...(pin === undefined ? {} : { pin }),
          ...(message ? { message } : {}),
        },
        recipients: recipients.map((recipient) => ({ ...recipient, locale: localeOf(recipient.address) })),
        replyTo: principal.email,
        waitMs: WAIT_MS,
      },
    });
    return toMailWarnings(outcomes);
  }

  /**
   * Invites guests among the entities of a folder whose permissions are written, each with the address of the share. A failure
   * is a warning: the permissions stay.
   */
  async inviteGuests(
    request: ShareRequest,
    id: FolderKey,
    entities: readonly number[],
    notice: SharingNotice | undefined,
  ): Promise<CatalogueError[]> {
    const { edge, principal: user, idempotencyKey } = request;
    if (!notice || entities.length === 0 || !edge) return [];
    return inviteGuests(this.caller, this.owners.toCallOptions(request), entities, {
      ...{
        user,
        edge: toGuestEdge(edge, this.properties.serverValue(SHARE_GUEST_HOST)),
        basePath: this.base.basePaths()[0] ?? '',
        place: { folder: Number(id) },
      },
      ...{ key: idempotencyKey ?? randomUUID(), message: notice.message },
      getShare: async () => {
        const { title, module } = await this.owners.getFolder(request, String(id));
        return { title, shared: toSharedKind(module) };
      },
    });
  }
}

/** The kind of a folder as mails name it. */
const toSharedKind = (module: string): SharedKind | undefined => SHARED_KINDS.find((kind) => kind === module);

const toSenderName = ({ principal }: FolderRequest): string => principal.displayName || principal.login;
