import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  CatalogueError,
  guests,
  outgoingMail,
  OutgoingMailErrors,
  type EdgeRequest,
  type FolderKey,
  type MailOutcome,
  type MailRecipient,
  type SharingNotice,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { Owners, type FolderRequest } from '../owners/owners';
import { ShareAddresses } from './share-addresses';

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

/** Longest time that a call waits for the mail server, ms: what takes longer is sent later. */
const WAIT_MS = 5_000;

/** Mails that bring the address of a share to others. What is not sent at once is told by warnings. */
@Injectable()
export class ShareMails {
  constructor(
    private readonly caller: Caller,
    private readonly directory: Directory,
    private readonly owners: Owners,
    private readonly addresses: ShareAddresses,
  ) {}

  /** Sends the address of a link. Answers warnings about those who do not get it, or not yet. */
  async sendLink(
    request: ShareRequest,
    { title, url, message }: { readonly title: string; readonly url: string; readonly message?: string },
    recipients: readonly LinkRecipient[],
  ): Promise<CatalogueError[]> {
    const { principal } = request;
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
        values: { sender: toSenderName(request), folder: title, url, ...(message ? { message } : {}) },
        recipients: recipients.map((recipient) => ({ ...recipient, locale: localeOf(recipient.address) })),
        replyTo: principal.email,
        waitMs: WAIT_MS,
      },
    });
    return toWarnings(outcomes);
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
    if (!notice || entities.length === 0 || !request.edge) return [];
    try {
      return await this.sendInvitations(request, request.edge, id, entities, notice);
    } catch (error) {
      if (error instanceof CatalogueError) return [error];
      throw error;
    }
  }

  private async sendInvitations(
    request: ShareRequest,
    edge: EdgeRequest,
    id: FolderKey,
    entities: readonly number[],
    { message }: SharingNotice,
  ): Promise<CatalogueError[]> {
    const options = this.owners.toCallOptions(request);
    const invited = await this.caller.call(guests.tokens, { ...options, query: { ids: [...entities] } });
    const named = invited.flatMap(({ email, ...guest }) => (email === null ? [] : [{ ...guest, email }]));
    if (named.length === 0) return [];
    const { title } = await this.owners.getFolder(request, String(id));
    const key = `invitation ${request.idempotencyKey ?? randomUUID()}`;
    const warnings: CatalogueError[] = [];
    for (const { email, token, displayName } of named) {
      const recipient: MailRecipient = { address: email, name: displayName, locale: request.principal.locale };
      const outcomes = await this.caller.call(outgoingMail.send, {
        ...options,
        query: {
          key,
          template: 'guestInvitation',
          values: {
            sender: toSenderName(request),
            folder: title,
            url: this.addresses.createAddress(edge, token, { folder: Number(id) }),
            ...(message ? { message } : {}),
          },
          recipients: [recipient],
          replyTo: request.principal.email,
        },
      });
      warnings.push(...toWarnings(outcomes));
    }
    return warnings;
  }
}

const toSenderName = ({ principal }: FolderRequest): string => principal.displayName || principal.login;

function toWarnings(outcomes: readonly MailOutcome[]): CatalogueError[] {
  return outcomes.flatMap(({ address, state }) => {
    if (state === 'notConfigured') return [OutgoingMailErrors.notConfigured(address)];
    return state === 'refused' ? [OutgoingMailErrors.refused(address)] : [];
  });
}
