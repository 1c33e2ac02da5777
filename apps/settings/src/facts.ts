import { Injectable } from '@nestjs/common';
import {
  birthdayAlarms,
  collectedAddresses,
  folderOwners,
  infostoreFolders,
  standardMailFolders,
  type FolderModule,
  type StandardMailFolders,
  type UserRequest,
} from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { Caller } from '@groupware/messaging';
import { AnnouncedCapabilities, Clock, Logger, VERSION, describeError } from '@groupware/service-kit';
import { DefaultFolders } from './default-folders';
import type { ConfigSetting, SettingFacts } from './domain/config-settings';
import { listTimeZones } from './time-zones';

const log = Logger.for('settings.facts');

/** No module is waited for longer, ms: its settings are left out then. */
const PATIENCE_MS = 2_000;

/** Loads what settings are computed from. A module that does not answer leaves out its part. */
@Injectable()
export class Facts {
  constructor(
    private readonly caller: Caller,
    private readonly clock: Clock,
    private readonly announced: AnnouncedCapabilities,
    private readonly defaultFolders: DefaultFolders,
    private readonly directory: Directory,
  ) {}

  /** Asks only what the settings need. */
  async load(call: UserRequest, settings: readonly ConfigSetting[]): Promise<SettingFacts> {
    const { principal } = call;
    const needs = new Set(settings.map((setting) => setting.needs));
    const [addresses, folders, filesTrash, collectingFolder, mailFolders, birthdayAlarms, timeZones] =
      await Promise.all([
        needs.has('addresses') ? this.loadAddresses(call) : { addresses: [] },
        needs.has('folders') ? this.loadFolders(call) : {},
        needs.has('filesTrash') ? this.loadFilesTrash(call) : undefined,
        needs.has('collectingFolder') ? this.loadCollectingFolder(call) : undefined,
        needs.has('mailFolders') ? this.loadMailFolders(call) : undefined,
        needs.has('birthdayAlarms') ? this.loadBirthdayAlarms(call) : undefined,
        needs.has('timeZones') ? listTimeZones(principal.locale) : {},
      ]);
    return {
      principal: { ...principal, capabilities: this.announced.list(principal) },
      now: this.clock.now(),
      version: VERSION,
      folders,
      ...(filesTrash !== undefined && { filesTrash }),
      ...(collectingFolder !== undefined && { collectingFolder }),
      ...(mailFolders !== undefined && { mailFolders }),
      ...(birthdayAlarms && { birthdayAlarms }),
      ...addresses,
      timeZones,
    };
  }

  private async loadAddresses({
    principal,
  }: UserRequest): Promise<Pick<SettingFacts, 'addresses' | 'hasFewAddresses'>> {
    const { userId, email } = principal;
    const found = await this.ask('identity', () => this.directory.getEntities(principal, [userId]));
    const person = found?.get(userId);
    const known = person?.kind === 'user' ? [person.email, ...person.aliases] : [];
    const addresses = [...new Set([email, ...known].filter(Boolean))];
    return { addresses, ...(person === undefined && { hasFewAddresses: true }) };
  }

  private async loadFolders(call: UserRequest): Promise<Partial<Record<FolderModule, string>>> {
    const { principal } = call;
    // Guests have no folders of their own.
    if (principal.guest) return {};
    const query = { user: principal.userId, locale: principal.locale, name: principal.displayName };
    const found = await Promise.all(
      folderOwners()
        .filter(({ module }) => principal.capabilities.includes(module))
        .map(async ({ module, contract }) => {
          const id = await this.defaultFolders.find(principal, module, () =>
            this.ask(module, () =>
              this.caller.call(contract.prepare, {
                ...this.toOptions(call),
                principal: { kind: 'internal', service: 'settings', contextId: principal.contextId },
                query,
              }),
            ),
          );
          return id === undefined ? [] : [[module, id] as const];
        }),
    );
    return Object.fromEntries(found.flat());
  }

  private async loadFilesTrash(call: UserRequest): Promise<string | undefined> {
    const { principal } = call;
    if (principal.guest || !principal.capabilities.includes('infostore')) return undefined;
    return this.defaultFolders.find(principal, 'trash of files', () =>
      this.ask('infostore', () =>
        this.caller.call(infostoreFolders.prepare, {
          ...this.toOptions(call),
          principal: { kind: 'internal', service: 'settings', contextId: principal.contextId },
          query: { user: principal.userId, locale: principal.locale, name: principal.displayName, trash: true },
        }),
      ),
    );
  }

  private async loadCollectingFolder(call: UserRequest): Promise<string | undefined> {
    const { principal } = call;
    if (principal.guest || !principal.capabilities.includes('contacts')) return undefined;
    // Not remembered: users may delete the folder, and another one follows.
    const id = await this.ask('contacts', () =>
      this.caller.call(collectedAddresses.folder, {
        ...this.toOptions(call),
        principal: { kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal },
      }),
    );
    return id == null ? undefined : String(id);
  }

  private async loadMailFolders(call: UserRequest): Promise<StandardMailFolders | undefined> {
    const { principal } = call;
    if (principal.guest || !principal.capabilities.includes('webmail')) return undefined;
    const found = await this.ask('mail', () =>
      this.caller.call(standardMailFolders.find, {
        ...this.toOptions(call),
        principal: { kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal },
      }),
    );
    return found ?? undefined;
  }

  private async loadBirthdayAlarms(call: UserRequest): Promise<readonly unknown[] | null | undefined> {
    const { principal } = call;
    if (principal.guest || !principal.capabilities.includes('contacts')) return undefined;
    return this.ask('calendar', () =>
      this.caller.call(birthdayAlarms.find, {
        ...this.toOptions(call),
        principal: { kind: 'internal', service: 'settings', contextId: principal.contextId, user: principal },
      }),
    );
  }

  private toOptions({ principal, deadline, requestId, signal }: UserRequest) {
    return { principal, requestId, signal, deadline: Math.min(deadline, this.clock.now() + PATIENCE_MS) };
  }

  private async ask<T>(module: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      log.warn({ module, error: describeError(error) }, 'settings without those of a module');
      return undefined;
    }
  }
}
