import {
  CatalogueError,
  errorObject,
  FileStorageErrors,
  MAX_STORAGE_ACCOUNTS,
  OWN_FILE_SERVICE,
  QuotaErrors,
  type FileAccountData,
  type FileAccountUpdate,
  type NewFileAccount,
  type UserPrincipal,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, describeError, Logger, Properties, SecretKeySettings } from '@groupware/service-kit';
import { SealedText } from '@groupware/sessions';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { StorageAccountRepository, type StoredAccount } from './account.repository';
import { toRootId, type StorageAddress } from './storage-id';
import type {
  SplitConfiguration,
  StorageConfiguration,
  StorageConnection,
  StorageEntry,
  StorageKind,
  StorageRequest,
} from './storage-kind';
import { StorageKinds } from './storage-kinds';
import { StorageSettings } from './storage-settings';

/** State of an account: whether its storage works. */
interface AccountState {
  readonly error?: CatalogueError;
}

/** An account whose state is looked at. */
interface StateInquiry {
  readonly user: UserPrincipal;
  readonly kind: StorageKind;
  readonly account: StoredAccount;
}

/** An account with its storage. */
export interface OpenedAccount {
  readonly account: StoredAccount;
  readonly kind: StorageKind;
  readonly connection: StorageConnection;
}

/** A file of an account. */
export interface OpenedFile extends OpenedAccount {
  readonly entry: StorageEntry;
}

/** Most accounts whose state is remembered. */
const MAX_STATES = 5_000;
const MAX_NAME = 128;

const log = Logger.for('files.storages');

/** Accounts of users with storages elsewhere. A user reaches the own ones alone: every statement names the user. */
@Injectable()
export class StorageAccounts implements OnModuleDestroy {
  private readonly secrets: SealedText;
  /** States by account as it is stored. */
  private readonly states: LRUCache<string, AccountState, StateInquiry>;

  constructor(
    private readonly database: ModuleDatabase,
    private readonly accounts: StorageAccountRepository,
    private readonly kinds: StorageKinds,
    private readonly settings: StorageSettings,
    private readonly properties: Properties,
    private readonly clock: Clock,
    keys: SecretKeySettings,
  ) {
    this.secrets = new SealedText(keys.secretKeys(), 'storage-account');
    this.states = new LRUCache({
      max: MAX_STATES,
      ttl: settings.recheckMs,
      fetchMethod: (_key, _former, { context, signal }) => this.findState(context, signal),
    });
  }

  onModuleDestroy(): void {
    // Ends what is still under way.
    this.states.clear();
  }

  /** The accounts of a user that may be used, of one service or of all. */
  async listAccounts(user: UserPrincipal, service?: string): Promise<{ kind: StorageKind; account: StoredAccount }[]> {
    const kinds = await this.kinds.listEnabled(user);
    if (kinds.length === 0) return [];
    const stored = await this.database.read(user, (db) => this.accounts.listByUser(db, user.userId));
    return stored.flatMap((account) => {
      const kind = kinds.find(({ id }) => id === account.service);
      return kind && (service === undefined || service === account.service) ? [{ kind, account }] : [];
    });
  }

  /** Describes the accounts of a user; what is wrong with one stands in its description. */
  async describeAccounts(
    request: StorageRequest,
    { service, checks = true }: { readonly service: string | undefined; readonly checks: boolean | undefined },
  ): Promise<FileAccountData[]> {
    const found = await this.listAccounts(request.principal, service);
    return Promise.all(
      found.map(async ({ kind, account }) => (checks ? this.describe(request, kind, account) : toData(kind, account))),
    );
  }

  /**
   * The accounts of a user as roots of folders, each with what was wrong with it when it was looked at last: only an account that was
   * not looked at before is waited for.
   */
  async listRoots(request: StorageRequest): Promise<{ account: StoredAccount; error?: object }[]> {
    const found = await this.listAccounts(request.principal);
    return Promise.all(
      found.map(async ({ kind, account }) => {
        const { error } = await this.getState({ user: request.principal, kind, account }, { allowsFormer: true });
        return { account, ...(error && { error: errorObject(error, request.principal.locale) }) };
      }),
    );
  }

  /** Describes one account. @throws FILE_STORAGE-0004, FILE_STORAGE-0016 */
  async describeAccount(request: StorageRequest, service: string, id: string): Promise<FileAccountData> {
    const { kind, account } = await this.require(request.principal, service, id);
    return this.describe(request, kind, account);
  }

  /** The storage of an account. @throws FILE_STORAGE-0004, FILE_STORAGE-0016, FILE_STORAGE-0056 */
  async open(request: StorageRequest, { service, account: id }: StorageAddress): Promise<OpenedAccount> {
    const { kind, account } = await this.require(request.principal, service, id);
    return { kind, account, connection: this.connect(request, kind, account) };
  }

  /** A file of an account. @throws FILE_STORAGE-0026 when there is none, the errors of {@link open} */
  async openFile(request: StorageRequest, address: StorageAddress): Promise<OpenedFile> {
    const opened = await this.open(request, address);
    const entry = await opened.connection.findEntry(address.path);
    if (!entry || entry.isFolder) throw FileStorageErrors.noSuchFile(address.path, opened.account.displayName);
    return { ...opened, entry };
  }

  /** Creates an account; its id. The storage is asked before. @throws the errors of `fileaccount?action=new` */
  async create(request: StorageRequest, body: NewFileAccount): Promise<string> {
    const user = request.principal;
    const { filestorageService: service } = body;
    if (service === OWN_FILE_SERVICE) throw FileStorageErrors.notSupported(service);
    const kind = await this.kinds.requireEnabled(user, service);
    const split = kind.splitConfiguration(body.configuration);
    const displayName = toName(body.displayName) || kind.toService(user.locale).displayName;
    await this.requireWorking(request, kind, { displayName, split });
    const most = await this.properties.get(MAX_STORAGE_ACCOUNTS, user);
    return this.database.transact(user, async (tx) => {
      const id = await this.accounts.allocateId(tx, user.userId);
      const count = await this.accounts.count(tx, user.userId);
      if (most >= 0 && count >= most) throw QuotaErrors.exceeded('filestorage', count, most);
      await this.accounts.insert(tx, user.userId, this.toStored(user, kind, { id, service, displayName }, split));
      return String(id);
    });
  }

  /** Changes an account; absent values stay. @throws the errors of `fileaccount?action=update` */
  async update(request: StorageRequest, body: FileAccountUpdate): Promise<string> {
    const user = request.principal;
    const { filestorageService: service, id } = body;
    if (service === OWN_FILE_SERVICE) throw FileStorageErrors.notSupported(service);
    const { kind, account: before } = await this.require(user, service, id);
    const displayName = toName(body.displayName) || before.displayName;
    const split = this.merge(user, kind, before, body.configuration);
    if (body.configuration) await this.requireWorking(request, kind, { displayName, split });
    const stored = this.toStored(user, kind, { ...before, displayName }, split);
    const isDone = await this.database.transact(user, (tx) => this.accounts.update(tx, user.userId, stored));
    if (!isDone) throw FileStorageErrors.accountNotFound(id, service);
    return id;
  }

  /** Deletes an account; the storage keeps what is in it. @throws FILE_STORAGE-0004, FILE_STORAGE-0006, FILE_STORAGE-0016 */
  async delete(user: UserPrincipal, service: string, id: string): Promise<void> {
    if (service === OWN_FILE_SERVICE) throw FileStorageErrors.notSupported(service);
    // An account of a kind that is no longer offered can still be deleted.
    const number = toNumber(id);
    const isDone =
      number !== undefined &&
      (await this.database.transact(user, (tx) => this.accounts.delete(tx, user.userId, service, number)));
    if (isDone) return;
    await this.kinds.requireEnabled(user, service);
    throw FileStorageErrors.accountNotFound(id, service);
  }

  private async require(
    user: UserPrincipal,
    service: string,
    id: string,
  ): Promise<{ kind: StorageKind; account: StoredAccount }> {
    const kind = await this.kinds.requireEnabled(user, service);
    const number = toNumber(id);
    const account =
      number === undefined
        ? undefined
        : await this.database.read(user, (db) => this.accounts.findAccount(db, user.userId, service, number));
    if (!account) throw FileStorageErrors.accountNotFound(id, service);
    return { kind, account };
  }

  private async describe(request: StorageRequest, kind: StorageKind, account: StoredAccount): Promise<FileAccountData> {
    const { error } = await this.getState({ user: request.principal, kind, account }, { allowsFormer: false });
    return {
      ...toData(kind, account),
      ...(error && { hasError: true, ...toDescription(error, request.principal.locale) }),
    };
  }

  /** @param allowsFormer an older state is told at once, and the storage looked at in the background */
  private async getState(
    inquiry: StateInquiry,
    { allowsFormer }: { readonly allowsFormer: boolean },
  ): Promise<AccountState> {
    const { contextId, userId } = inquiry.user;
    const key = JSON.stringify([contextId, userId, inquiry.account]);
    return (await this.states.fetch(key, { context: inquiry, allowStale: allowsFormer })) ?? {};
  }

  /** Looks at the storage of an account, for all calls that wait meanwhile: the end of one ends it for no other. */
  private async findState({ user, kind, account }: StateInquiry, ended: AbortSignal): Promise<AccountState> {
    const request = { principal: user, deadline: this.clock.now() + this.settings.checkMs, signal: ended };
    const error = await this.findFault(() => this.connect(request, kind, account), account.displayName);
    return error ? { error } : {};
  }

  /** The same request with a deadline for what is only a part of its answer. */
  toQuick(request: StorageRequest): StorageRequest {
    return { ...request, deadline: Math.min(request.deadline, this.clock.now() + this.settings.checkMs) };
  }

  private async requireWorking(
    request: StorageRequest,
    kind: StorageKind,
    { displayName, split }: { readonly displayName: string; readonly split: SplitConfiguration },
  ): Promise<void> {
    const configuration = { ...split.open, ...split.secret };
    const error = await this.findFault(
      () => kind.connect(request, { isChecked: false, displayName, configuration }),
      displayName,
    );
    if (error) throw error;
  }

  private async findFault(connect: () => StorageConnection, name: string): Promise<CatalogueError | undefined> {
    try {
      const root = await connect().findEntry('');
      return root?.isFolder ? undefined : FileStorageErrors.notReachable(name);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      log.info({ code: error.code, cause: describeError(error.cause) }, 'a storage elsewhere does not work');
      return error;
    }
  }

  private connect(request: StorageRequest, kind: StorageKind, account: StoredAccount): StorageConnection {
    const secret = this.unseal(request.principal, kind, account);
    if (!secret) throw FileStorageErrors.loginRefused(account.displayName);
    return kind.connect(request, {
      isChecked: true,
      displayName: account.displayName,
      configuration: { ...account.configuration, ...secret },
    });
  }

  /** The sealed secrets of an account, sealed with the newest key; undefined where no key opens them. */
  resealSecret(
    owner: Pick<UserPrincipal, 'contextId' | 'userId'>,
    { id, service, configuration, sealed }: Pick<StoredAccount, 'id' | 'service' | 'configuration' | 'sealed'>,
  ): string | undefined {
    const kind = this.kinds.find(service);
    return kind && this.secrets.reseal(sealed, toSealOwner(owner, id, kind.audienceOf(configuration)));
  }

  /** Values of the form where some change. @throws FILE_STORAGE-0017 for secrets that would be told to somebody else */
  private merge(
    user: UserPrincipal,
    kind: StorageKind,
    before: StoredAccount,
    changes: Readonly<Record<string, unknown>> | undefined,
  ): SplitConfiguration {
    const secret = this.unseal(user, kind, before) ?? {};
    const changed = Object.fromEntries(Object.entries(changes ?? {}).filter(([, value]) => value != null));
    const split = kind.splitConfiguration({ ...before.configuration, ...secret, ...changed }, before.configuration);
    const former = kind.audienceOf(before.configuration);
    const missing = Object.keys(split.secret).find((name) => changed[name] === undefined);
    if (kind.audienceOf(split.open) !== former && missing !== undefined) throw FileStorageErrors.missingField(missing);
    return split;
  }

  private toStored(
    user: UserPrincipal,
    kind: StorageKind,
    account: Pick<StoredAccount, 'id' | 'service' | 'displayName'>,
    { open, secret }: SplitConfiguration,
  ): StoredAccount {
    const { id, service, displayName } = account;
    const sealed = this.secrets.seal(JSON.stringify(secret), toSealOwner(user, id, kind.audienceOf(open)));
    return { id, service, displayName, configuration: open, sealed };
  }

  /** The secrets of an account; undefined when their key is gone, or they belong to another row or server. */
  private unseal(user: UserPrincipal, kind: StorageKind, account: StoredAccount): StorageConfiguration | undefined {
    const text = this.secrets.open(
      account.sealed,
      toSealOwner(user, account.id, kind.audienceOf(account.configuration)),
    );
    return text === undefined ? undefined : (JSON.parse(text) as StorageConfiguration);
  }
}

const toSealOwner = (
  { contextId, userId }: Pick<UserPrincipal, 'contextId' | 'userId'>,
  id: number,
  audience: string,
): string => `${contextId}/${userId}/${id}/${audience}`;

/** Describes the error of an account. */
function toDescription(
  fault: CatalogueError,
  locale: string,
): Pick<FileAccountData, 'error' | 'code' | 'error_params'> {
  const { error, code, error_params: params } = errorObject(fault, locale);
  return { error, code, error_params: params.map(String) };
}

const toNumber = (id: string): number | undefined => (/^[1-9]\d{0,8}$/.test(id) ? Number(id) : undefined);

const toName = (text: string | undefined): string => [...(text ?? '').trim()].slice(0, MAX_NAME).join('');

/** An account as clients see it, without what is wrong with it. */
function toData(kind: StorageKind, { id, displayName, configuration }: StoredAccount): FileAccountData {
  return {
    id: String(id),
    filestorageService: kind.id,
    qualifiedId: `${kind.id}://${id}`,
    displayName,
    rootFolder: toRootId(kind.id, String(id)),
    isDefaultAccount: false,
    capabilities: [...kind.capabilities],
    configuration,
  };
}
