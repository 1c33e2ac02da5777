import {
  isCatalogueError,
  MailErrors,
  type MailAddress,
  type MailboxAccess,
  type UserRequest,
} from '@groupware/contracts';
import { normalizeAddress } from '@groupware/mail-content';
import { Injectable } from '@nestjs/common';
import { Mailboxes } from '../accounts/mailboxes';
import { PRIMARY_ACCOUNT } from '../domain/mail-folder';
import type { MailPlace } from '../domain/mail-path';
import { FolderOwners } from './folder-owners';

/** Sender of a mail, and the account by which it leaves. */
export interface Sender {
  /** The author. */
  readonly from: MailAddress;
  /** The user who sends for the author. */
  readonly agent?: MailAddress;
  readonly account: MailboxAccess;
}

/** The addresses that a user may send from. */
@Injectable()
export class Senders {
  constructor(
    private readonly mailboxes: Mailboxes,
    private readonly owners: FolderOwners,
  ) {}

  /** All own addresses of a user, of every account. */
  async listAddresses(request: UserRequest): Promise<string[]> {
    return (await this.mailboxes.listSources(request)).flatMap(addressesOf);
  }

  /**
   * The sender of a mail: without an address, the one of the primary account. The answer to a mail in a shared folder may be in the
   * name of its owner.
   * @throws MSG-0056 for an address that is none of the user
   */
  async resolveSender(request: UserRequest, from: MailAddress | undefined, answered?: MailPlace): Promise<Sender> {
    const accounts = await this.mailboxes.listSources(request);
    const primary = accounts.find(({ server }) => server !== undefined) ?? accounts[0];
    if (!primary) throw MailErrors.senderNotAllowed(from?.[1] ?? '');
    if (!from) return { from: toAddress(primary), account: primary };
    const wanted = normalizeAddress(from[1]);
    const holds = (account: MailboxAccess) =>
      addressesOf(account).some((address) => normalizeAddress(address) === wanted);
    // That of the account itself before the alias of another one.
    const account =
      accounts.find(({ primaryAddress }) => normalizeAddress(primaryAddress) === wanted) ?? accounts.find(holds);
    if (account) return { from, account };
    const owner = answered && (await this.owners.findOwner(request, answered));
    if (!owner || normalizeAddress(owner[1]) !== wanted) throw MailErrors.senderNotAllowed(from[1]);
    const opened = accounts.find(({ id }) => id === answered.folder.account) ?? primary;
    return { from, account: opened, agent: toAddress(opened) };
  }

  /** The sender of a draft, which may have any author: a mail in the name of others is refused when it is sent. */
  async resolveDraftSender(request: UserRequest, from: MailAddress | undefined, answered?: MailPlace): Promise<Sender> {
    try {
      return await this.resolveSender(request, from, answered);
    } catch (error) {
      if (!from || !isCatalogueError(error, MailErrors.senderNotAllowed)) throw error;
      return { ...(await this.resolveSender(request, undefined)), from };
    }
  }
}

/** Account whose mailbox keeps the mails of a sender: mails of accounts without one are kept where theirs are collected. */
export const findKeeper = ({ id, server }: MailboxAccess): number => (server ? id : PRIMARY_ACCOUNT);

/** Address of an account with its name. */
const toAddress = ({ personal, primaryAddress }: MailboxAccess): MailAddress => [personal ?? null, primaryAddress];

const addressesOf = ({ primaryAddress, addresses }: MailboxAccess): string[] =>
  [primaryAddress, ...addresses].filter((address) => address !== '');
