import { MailFilterErrors } from '@groupware/contracts';
import { findSieveRefusal, MailFailure, SievePool, SieveRefusal, type SieveSession } from '@groupware/mail-access';
import { Injectable } from '@nestjs/common';
import { FilterAccounts, type FilterAccount, type FilterRequest } from './filter-accounts';
import { UserLocks } from './user-locks';

/** The script of a user at the server. */
export interface StoredScript {
  /** Undefined: there is none. */
  readonly name?: string;
  readonly isActive: boolean;
  readonly text: string;
}

/** Session with the server and the script that a call works with. */
export interface OpenScripts {
  readonly session: SieveSession;
  readonly stored: StoredScript;
}

/** The scripts of users at their servers. */
@Injectable()
export class FilterScripts {
  constructor(
    private readonly accounts: FilterAccounts,
    private readonly pool: SievePool,
    private readonly locks: UserLocks,
  ) {}

  /** Reads the script of the user. @throws MAIL_FILTER-0027 and what goes wrong with the server */
  async read<T>(request: FilterRequest, capability: string, work: (open: OpenScripts) => Promise<T> | T): Promise<T> {
    const account = await this.accounts.get(request, capability);
    return this.connected(request, account, async (session) =>
      work({ session, stored: await readStored(session, account) }),
    );
  }

  /**
   * Changes the script of the user while no other call does.
   * @param work answers the new text; undefined: it stays
   * @throws MAIL_FILTER-0027, 0025 when the server refuses the text, and what else goes wrong with it
   */
  async change<T>(
    request: FilterRequest,
    capability: string,
    work: (open: OpenScripts) => Promise<{ readonly text?: string; readonly result: T }>,
  ): Promise<T> {
    const account = await this.accounts.get(request, capability);
    return this.locks.use(request.principal, request.deadline, () =>
      this.connected(request, account, async (session) => {
        const stored = await readStored(session, account);
        const { text, result } = await work({ session, stored });
        if (text !== undefined && (text !== stored.text || !stored.isActive))
          await store(session, account, stored, text);
        return result;
      }),
    );
  }

  /** Works with the server without its scripts. @throws MAIL_FILTER-0027 and what goes wrong with the server */
  async ask<T>(request: FilterRequest, capability: string, work: (session: SieveSession) => Promise<T>): Promise<T> {
    const account = await this.accounts.get(request, capability);
    return this.connected(request, account, work);
  }

  private async connected<T>(
    request: FilterRequest,
    account: FilterAccount,
    work: (session: SieveSession) => Promise<T>,
  ): Promise<T> {
    const { server, use, limits } = account;
    try {
      return await account.logIn((credentials) => this.pool.use({ server, credentials, use, limits }, work));
    } catch (error) {
      throw toCatalogueError(error, request, account);
    }
  }
}

/** The active script; without one, ours. */
async function readStored(session: SieveSession, { scriptName }: FilterAccount): Promise<StoredScript> {
  const scripts = await session.listScripts();
  const found = scripts.find(({ isActive }) => isActive) ?? scripts.find(({ name }) => name === scriptName);
  if (!found) return { isActive: false, text: '' };
  return { ...found, text: await session.getScript(found.name) };
}

/** Stores the text under our name. The script of another name stays, and is active until ours is. */
async function store(session: SieveSession, account: FilterAccount, stored: StoredScript, text: string): Promise<void> {
  const { scriptName, limits } = account;
  if (Buffer.byteLength(text) > limits.maxLiteralBytes) throw MailFilterErrors.badRule('the rules take too much space');
  try {
    await session.putScript(scriptName, text);
  } catch (error) {
    const refusal = findSieveRefusal(error);
    if (!refusal || refusal.isFarewell) throw error;
    throw MailFilterErrors.badRule(refusal.text || refusal.code || 'the server refused it').with({ cause: error });
  }
  if (!stored.isActive || stored.name !== scriptName) await session.setActive(scriptName);
}

/** The error of the API for what went wrong with the server. */
function toCatalogueError(error: unknown, { principal }: FilterRequest, { server }: FilterAccount): unknown {
  const { host, port } = server;
  const kind = error instanceof MailFailure ? error.kind : undefined;
  if (kind === 'credentials' || kind === 'authentication')
    return MailFilterErrors.badCredentials().with({ cause: error });
  if (kind === 'broken' || error instanceof SieveRefusal)
    return MailFilterErrors.failed(host, port, principal.userId, principal.contextId).with({ cause: error });
  return kind === undefined ? error : MailFilterErrors.unreachable(host, port).with({ cause: error });
}
