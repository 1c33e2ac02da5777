import type { ImapFlow, ListResponse } from 'imapflow';
import { decodePath, encodePath, normalizePath } from 'imapflow/lib/tools';
import { findRefusal, ImapRefusal } from './imap-refusal';
import type { ResponseHandling } from './lines/response-lines';
import { atom, text, textOf, type ImapToken } from './imap-tokens';

/** Commands that the library has no method for. */
interface RawClient extends ResponseHandling {
  readonly folders: ReadonlyMap<string, ListResponse>;
  exec(
    command: string,
    attributes: readonly ImapToken[],
    options?: { untagged?: Readonly<Record<string, (response: RawResponse) => Promise<void>>> },
  ): Promise<{ readonly response: RawResponse; next(): void }>;
}

/** A response that the library has parsed. */
export interface RawResponse {
  readonly attributes?: readonly ImapToken[];
}

/** A client with what the library keeps for itself. */
export const rawOf = (client: ImapFlow) => client as unknown as RawClient;

/** Most mailboxes that are asked for by name when a list lacks them. */
const MAX_WANTED = 20;

/** The mailboxes of an account, by one connection. What a server can't do is done another way, as its capabilities tell. */
export class ImapMailboxes {
  constructor(
    readonly client: ImapFlow,
    /** Capabilities that are not used although the server has them. */
    private readonly ignored: ReadonlySet<string> = new Set(),
  ) {}

  /** Whether the server has a capability. */
  can(capability: string): boolean {
    return this.client.capabilities.has(capability) && !this.ignored.has(capability);
  }

  /** Full name of the selected mailbox. */
  get selected(): string | undefined {
    return this.client.mailbox ? this.client.mailbox.path : undefined;
  }

  /**
   * All mailboxes of the account with their states, where the server has LIST-STATUS in one round trip.
   * @param wanted paths of those that are not to be missing only because the server does not know yet that they are shared: Dovecot looks
   * once an hour of a session for users who share mailboxes, and for one user when a mailbox of his is named. At most
   * {@link MAX_WANTED} that are missing are asked for
   */
  async listMailboxes(withCounts: boolean, wanted: readonly string[] = []): Promise<ListResponse[]> {
    try {
      const query = withCounts ? { statusQuery: { messages: true, unseen: true, recent: true } } : undefined;
      const listed = await this.client.list(query);
      const foreign = wanted.filter((path) => this.isForeign(path));
      if (foreign.length === 0) return listed;
      const known = new Set(listed.map(({ path }) => path));
      let isAnyThere = false;
      for (const path of foreign.filter((each) => !known.has(each)).slice(0, MAX_WANTED))
        if (await this.hasMailbox(path)) isAnyThere = true;
      return isAnyThere ? await this.client.list(query) : listed;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Whether the user may see a mailbox of this name, listed or not. */
  private async hasMailbox(path: string): Promise<boolean> {
    try {
      await this.status(path);
      return true;
    } catch (error) {
      if (error instanceof ImapRefusal) return false;
      throw error;
    }
  }

  /**
   * Rights of the user on mailboxes as letters (RFC 4314), by path, where the server has such rights: those of all mailboxes in one
   * round trip (RFC 8440), or of the paths in one each. None for a mailbox of which the server tells nothing.
   */
  async readRights(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const untagged = {
      MYRIGHTS: async ({ attributes = [] }: RawResponse) => {
        const [path, rights] = attributes.map((each) => textOf(each));
        if (path !== undefined) found.set(normalizePath(this.client, decodePath(this.client, path)), rights ?? '');
      },
    };
    if (paths.length === 0 || !this.can('ACL')) return found;
    if (this.can('LIST-MYRIGHTS')) {
      const options = [atom('RETURN'), [atom('MYRIGHTS')]];
      await this.command('LIST', [this.name(''), { type: 'STRING', value: '*' }, ...options], untagged);
      return found;
    }
    for (const path of paths)
      try {
        await this.command('MYRIGHTS', [this.name(path)], untagged);
      } catch (error) {
        if (!(error instanceof ImapRefusal)) throw error;
      }
    return found;
  }

  /** Rights on a mailbox as letters, by the identifiers that have them (RFC 4314); undefined where the server does not tell the user. */
  async readAcl(path: string): Promise<ReadonlyMap<string, string> | undefined> {
    if (!this.can('ACL')) return undefined;
    const found = new Map<string, string>();
    const untagged = {
      ACL: async ({ attributes = [] }: RawResponse) => {
        const [, ...entries] = attributes.map((each) => textOf(each));
        for (let index = 0; index + 1 < entries.length; index += 2) found.set(entries[index]!, entries[index + 1]!);
      },
    };
    try {
      await this.command('GETACL', [this.name(path)], untagged);
      return found;
    } catch (error) {
      if (!(error instanceof ImapRefusal)) throw error;
      return undefined;
    }
  }

  /** Gives an identifier these rights on a mailbox, and no others (RFC 4314). @throws ImapRefusal */
  async setAcl(path: string, identifier: string, letters: string): Promise<void> {
    await this.command('SETACL', [this.name(path), text(identifier), text(letters)]);
  }

  /** Takes all rights on a mailbox from an identifier. @throws ImapRefusal */
  async deleteAcl(path: string, identifier: string): Promise<void> {
    await this.command('DELETEACL', [this.name(path), text(identifier)]);
  }

  /** Separator of the levels of names. */
  get separator(): string {
    return (this.client.namespace && this.client.namespace.delimiter) || '/';
  }

  /** Prefix of the names of the user's own folders. */
  get namespacePrefix(): string {
    return (this.client.namespace && this.client.namespace.prefix) || '';
  }

  /** Whether a mailbox is in a namespace of other users, or of all (RFC 2342). */
  isForeign(path: string): boolean {
    const { other, shared } = this.client.namespaces ?? {};
    return [...(other || []), ...(shared || [])].some(({ prefix }) => prefix !== '' && path.startsWith(prefix));
  }

  /** Login of the user whose mailbox holds a folder of the namespace of other users (RFC 2342); undefined for all others. */
  findOwner(path: string): string | undefined {
    const { other } = this.client.namespaces ?? {};
    for (const { prefix, delimiter } of other || []) {
      if (prefix === '' || !path.startsWith(prefix)) continue;
      const [login] = delimiter ? path.slice(prefix.length).split(delimiter) : [];
      if (login) return login;
    }
    return undefined;
  }

  /** Makes a mailbox, which may be there, and subscribes to it. @param path a list gets the prefix of the user's namespace */
  async createMailbox(path: string | readonly string[]): Promise<{ readonly path: string; readonly created: boolean }> {
    try {
      const { path: made, created } = await this.client.mailboxCreate(path as string | string[]);
      await this.client.mailboxSubscribe(made).catch(() => false);
      return { path: made, created: created ?? false };
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Removes a mailbox with its mails. */
  async deleteMailbox(path: string): Promise<void> {
    try {
      if (this.selected === path) await this.client.mailboxClose();
      await this.client.mailboxDelete(path);
      await this.client.mailboxUnsubscribe(path).catch(() => false);
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Renames a mailbox with those below it. */
  async renameMailbox(path: string, to: string): Promise<void> {
    try {
      if (this.selected === path) await this.client.mailboxClose();
      await this.client.mailboxRename(path, to);
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Subscribes to a mailbox or no longer. */
  async subscribe(path: string, subscribed: boolean): Promise<void> {
    await (subscribed ? this.client.mailboxSubscribe(path) : this.client.mailboxUnsubscribe(path));
  }

  /** Whether the server listed a mailbox as one that holds no mails. */
  isUnselectable(path: string): boolean {
    return rawOf(this.client).folders.get(path)?.flags.has('\\Noselect') ?? false;
  }

  /** Numbers of a mailbox. @throws ImapRefusal */
  async status(path: string) {
    try {
      const found = await this.client.status(path, { messages: true, unseen: true, uidNext: true, uidValidity: true });
      if (!found) throw new ImapRefusal('', 'NO');
      return found;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Sends a command. @throws ImapRefusal */
  async command(
    name: string,
    attributes: readonly ImapToken[],
    untagged: Readonly<Record<string, (response: RawResponse) => Promise<void>>> = {},
  ): Promise<RawResponse> {
    try {
      const { response, next } = await rawOf(this.client).exec(name, attributes, { untagged });
      next();
      return response;
    } catch (error) {
      throw findRefusal(error) ?? error;
    }
  }

  /** Bytes of the name of a mailbox as the server is told it. */
  countNameBytes(path: string): number {
    return Buffer.byteLength(encodePath(this.client, path));
  }

  /** Name of a mailbox as the server wants it. */
  name(path: string): ImapToken {
    return { type: 'STRING', value: encodePath(this.client, path) };
  }
}
