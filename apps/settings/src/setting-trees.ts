import { Injectable } from '@nestjs/common';
import {
  birthdayAlarms,
  CatalogueError,
  ConfigErrors,
  directory,
  JslobErrors,
  normalizeLocale,
  normalizeTimeZone,
  user,
  DEFAULT_JSLOB_SERVICE,
  type JslobData,
  type UserRequest,
} from '@groupware/contracts';
import { Caller } from '@groupware/messaging';
import { ModuleDatabase } from '@groupware/persistence';
import { Clock, Properties } from '@groupware/service-kit';
import { isDeepStrictEqual } from 'node:util';
import { SettingsConfig } from './configuration/settings.config';
import {
  depthOf,
  mergeTrees,
  overlayTrees,
  treeOf,
  valueAt,
  withoutDefaults,
  withoutPath,
  type Tree,
} from './domain/tree';
import {
  CONFIG_SETTINGS,
  fitsAlarms,
  fitsProperty,
  type ConfigSetting,
  type UserField,
} from './domain/config-settings';
import { SettingsTreeRepository } from './persistence/settings-tree.repository';
import { ServerSettings, type ServerTree } from './server-settings';

const NOTHING: ServerTree = {
  defaults: {},
  fixed: [],
  userFields: [],
  ofCalendar: [],
  ownProperties: [],
  checked: [],
  expiring: [],
};

/** Trees of settings: what users stored over what the server gives. */
@Injectable()
export class SettingTrees {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly repository: SettingsTreeRepository,
    private readonly server: ServerSettings,
    private readonly config: SettingsConfig,
    private readonly caller: Caller,
    private readonly properties: Properties,
    private readonly clock: Clock,
  ) {}

  /** The named trees, in their order. @throws JSNCON-0004 for a space that does not exist */
  list(call: UserRequest, ids: readonly string[], service = DEFAULT_JSLOB_SERVICE): Promise<JslobData[]> {
    return this.load(call, ids, service, CONFIG_SETTINGS);
  }

  /** The trees with the places of settings, as far as they concern these: other modules are asked for no others. */
  listFor(call: UserRequest, settings: readonly ConfigSetting[]): Promise<JslobData[]> {
    const ids = new Set(settings.flatMap(({ place }) => (place ? [place.id] : [])));
    return this.load(call, [...ids], DEFAULT_JSLOB_SERVICE, settings);
  }

  private async load(
    call: UserRequest,
    ids: readonly string[],
    service: string,
    settings: readonly ConfigSetting[],
  ): Promise<JslobData[]> {
    requireService(service);
    const wanted = [...new Set(ids)];
    const { principal } = call;
    const [stored, given] = await Promise.all([
      this.database.read(principal, (db) => this.repository.findTrees(db, principal.userId, service, wanted)),
      this.server.load(call, new Set(wanted), settings),
    ]);
    const trees = new Map(stored.map(({ id, tree }) => [id, tree]));
    const shown = new Map(wanted.map((id) => [id, showTree(id, trees.get(id) ?? {}, given.get(id) ?? NOTHING)]));
    return ids.map((id) => shown.get(id)!);
  }

  /** All trees of the user. @throws JSNCON-0004 for a space that does not exist */
  async listAll(call: UserRequest, service = DEFAULT_JSLOB_SERVICE): Promise<JslobData[]> {
    requireService(service);
    const { principal } = call;
    const stored = await this.database.read(principal, (db) => this.repository.listIds(db, principal.userId, service));
    return this.list(call, [...new Set([...this.server.listIds(principal), ...stored])].sort(), service);
  }

  /**
   * Changes what the user stored of a tree; changes of the same moment join.
   * @param change gets the tree as clients see it
   * @returns warnings JSNCON-0008 for settings that only the server sets
   * @throws what the change throws, JSNCON-9001 to 9004 beyond limits, USR-0023 and USR-0024 for a bad language or zone,
   *   USS-0009 for a new value that the configuration tree refuses
   */
  async change(
    call: UserRequest,
    id: string,
    change: (shown: Tree) => Tree,
    service = DEFAULT_JSLOB_SERVICE,
  ): Promise<CatalogueError[]> {
    requireService(service);
    const { principal } = call;
    const given = (await this.server.load(call, new Set([id]), CONFIG_SETTINGS)).get(id)!;
    const key = { userId: principal.userId, service, id };
    const now = this.clock.now();
    // A call that is repeated gets what the transaction returned, and acts on it again.
    const { refused, fields, properties, alarms } = await this.database.transact(principal, async (tx) => {
      const refused: string[] = [];
      const fields: Partial<Record<UserField, string>> = {};
      const properties: Record<string, string | null> = {};
      const stored = await this.repository.lockTree(tx, key, now);
      const { tree: before } = showTree(id, stored, given);
      const changed = change(before);
      this.requireLimits(id, changed);
      let own = changed;
      for (const { place, value } of given.fixed) {
        if (!isDeepStrictEqual(valueAt(own, place.path) ?? value, value)) refused.push(place.path.join('/'));
        own = withoutPath(own, place.path);
      }
      requireAccepted(given, own, before);
      for (const setting of given.userFields) {
        const { path } = setting.place!;
        const chosen = valueAt(own, path);
        if (chosen !== undefined && chosen !== valueAt(given.defaults, path)) {
          const field = setting.change!.userField!;
          fields[field] = normalizeField(field, chosen);
        }
        own = withoutPath(own, path);
      }
      let alarms: unknown;
      for (const { place } of given.ofCalendar) {
        const chosen = valueAt(own, place!.path);
        const known = valueAt(given.defaults, place!.path);
        // Without an answer of the calendar, or without a list, the value stays in the tree.
        if (known === undefined || (chosen !== undefined && !fitsAlarms(chosen))) continue;
        if (chosen !== undefined && !isDeepStrictEqual(chosen, known)) alarms = chosen;
        own = withoutPath(own, place!.path);
      }
      for (const { place, property } of given.ownProperties) {
        const chosen = valueAt(own, place!.path);
        const isNew = chosen !== undefined && chosen !== valueAt(given.defaults, place!.path);
        // Clients store what they like in their trees; what no module can act by stays there.
        if (isNew && !fitsProperty(property!, chosen)) continue;
        if (isNew) properties[property!.key] = String(chosen);
        else if (valueAt(changed, place!.path) === undefined) properties[property!.key] = null;
        own = withoutPath(own, place!.path);
      }
      own = withoutDefaults(own, given.defaults);
      if (Object.keys(own).length === 0) await this.repository.removeTree(tx, key);
      else {
        await this.repository.storeTree(tx, key, own, now);
        const { count, sizeBytes } = await this.repository.measureTrees(tx, principal.userId);
        if (count > this.config.maxTrees) throw JslobErrors.tooMany(this.config.maxTrees);
        if (sizeBytes > this.config.maxUserBytes) throw JslobErrors.tooLargeTogether(this.config.maxUserBytes);
      }
      return { refused, fields, properties, alarms };
    });
    if (Object.keys(fields).length > 0) await this.changeUser(call, fields);
    for (const [key, value] of Object.entries(properties)) await this.setProperty(call, key, value);
    if (alarms !== undefined) await this.setBirthdayAlarms(call, alarms);
    return refused.map((place) => JslobErrors.fixed(place, id));
  }

  private requireLimits(id: string, tree: Tree): void {
    const { maxTreeBytes, maxTreeDepth } = this.config;
    if (depthOf(tree, maxTreeDepth) > maxTreeDepth) throw JslobErrors.tooDeep(id, maxTreeDepth);
    if (Buffer.byteLength(JSON.stringify(tree)) > maxTreeBytes) throw JslobErrors.tooLarge(id, maxTreeBytes);
  }

  /** Identity keeps properties, null removes one; the next question of the user finds the new value. */
  private async setProperty(
    { principal, deadline, requestId, signal }: UserRequest,
    key: string,
    value: string | null,
  ): Promise<void> {
    const { contextId, userId } = principal;
    await this.caller.call(directory.setOwnProperty, {
      ...{ deadline, requestId, signal },
      principal: { kind: 'internal', service: 'settings', contextId, user: principal },
      query: { key, value },
    });
    this.properties.invalidate({ contextId, userId });
  }

  /** The calendar keeps alarms of birthdays, which it tells of. */
  private async setBirthdayAlarms(
    { principal, deadline, requestId, signal }: UserRequest,
    alarms: unknown,
  ): Promise<void> {
    const { contextId } = principal;
    await this.caller.call(birthdayAlarms.replace, {
      ...{ deadline, requestId, signal },
      principal: { kind: 'internal', service: 'settings', contextId, user: principal },
      query: { alarms },
    });
  }

  /** Identity keeps language and zone, for everything that depends on them. */
  private async changeUser({ principal, deadline, requestId, signal }: UserRequest, fields: object): Promise<void> {
    await this.caller.call(user.update, {
      ...{ principal, deadline, requestId, signal },
      query: { id: String(principal.userId), timestamp: Number.MAX_SAFE_INTEGER },
      body: fields,
    });
  }
}

/** The value that identity keeps, refused before anything is stored. @throws USR-0023, USR-0024 */
function normalizeField(field: UserField, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return field === 'locale' ? normalizeLocale(text) : normalizeTimeZone(text);
}

/** Refuses what is not possible for a setting; values that stand there already stay. @throws USS-0009 */
function requireAccepted({ checked }: ServerTree, changed: Tree, before: Tree): void {
  for (const { place, accepts } of checked) {
    const chosen = valueAt(changed, place.path);
    if (chosen === undefined || isDeepStrictEqual(chosen, valueAt(before, place.path)) || accepts(chosen)) continue;
    throw ConfigErrors.invalidValue(JSON.stringify(chosen).slice(0, 200), place.path.join('/'));
  }
}

function requireService(service: string): void {
  if (service !== DEFAULT_JSLOB_SERVICE) throw JslobErrors.unknownService(service);
}

/** The tree as clients see it. */
function showTree(
  id: string,
  stored: Tree,
  { defaults, fixed, ofCalendar, expiring }: ServerTree,
): { id: string; tree: Record<string, unknown>; meta: Record<string, unknown> } {
  let own = stored;
  // The calendar acts by its own value, not by one that was stored while it did not answer.
  for (const { place } of ofCalendar)
    if (valueAt(defaults, place!.path) !== undefined) own = withoutPath(own, place!.path);
  for (const { place, accepts } of expiring) {
    const value = valueAt(own, place.path);
    if (value !== undefined && !accepts(value)) own = withoutPath(own, place.path);
  }
  let tree = overlayTrees(defaults, own);
  let meta: Tree = {};
  for (const { place, value } of fixed) {
    tree = mergeTrees(withoutPath(tree, place.path), treeOf(place.path, value));
    meta = mergeTrees(meta, treeOf(place.path, { configurable: false }));
  }
  return { id, tree, meta };
}
