import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { groupBy, type UserPrincipal, type UserRequest } from '@groupware/contracts';
import { Properties } from '@groupware/service-kit';
import { ClientFile } from './configuration/client-file';
import {
  CONFIG_SETTINGS,
  isKeptInTree,
  type ConfigSetting,
  type Place,
  type SettingFacts,
} from './domain/config-settings';
import { mergeTrees, treeOf, valueAt, withoutPath, type Tree } from './domain/tree';
import { Facts } from './facts';

/** Settings of the server for one tree. */
export interface ServerTree {
  /** Values where the user stored none. */
  readonly defaults: Tree;
  /** Places that only the server sets, with their values. */
  readonly fixed: readonly { readonly place: Place; readonly value: unknown }[];
  /** Settings that are kept elsewhere. */
  readonly userFields: readonly ConfigSetting[];
  /** Settings that the calendar keeps. */
  readonly ofCalendar: readonly ConfigSetting[];
  /** Settings that are properties of the user. */
  readonly ownProperties: readonly ConfigSetting[];
  /** Places whose values are checked before they are stored. */
  readonly checked: readonly CheckedPlace[];
  /** Places whose stored values the defaults replace once they are not possible any more. */
  readonly expiring: readonly CheckedPlace[];
}

/** A place of a tree that holds a setting of the configuration tree. */
export interface CheckedPlace {
  readonly place: Place;
  /** Whether the value is possible, under one of the names of the setting. */
  accepts(value: unknown): boolean;
}

/** Whether the user has a setting. */
export const isOpen = ({ capability }: ConfigSetting, { capabilities }: UserPrincipal): boolean =>
  capability === undefined || capabilities.includes(capability);

/** Reads what the server, its operators and its modules say about settings. */
@Injectable()
export class ServerSettings {
  constructor(
    private readonly facts: Facts,
    private readonly properties: Properties,
    private readonly file: ClientFile,
  ) {}

  /** Names of the trees that have something of the server. */
  listIds(principal: UserPrincipal): Set<string> {
    const own = CONFIG_SETTINGS.filter((setting) => isOpen(setting, principal) && !isFreeText(setting));
    return new Set([...own, ...this.file.settings].flatMap(({ place }) => (place ? [place.id] : [])));
  }

  /** Settings of the server for trees, by their names. @param wanted those of the configuration tree that count */
  async load(
    call: UserRequest,
    ids: ReadonlySet<string>,
    wanted: readonly ConfigSetting[],
  ): Promise<Map<string, ServerTree>> {
    const settings = wanted.filter(
      (setting) => setting.place && ids.has(setting.place.id) && isOpen(setting, call.principal),
    );
    const facts = await this.facts.load(call, settings);
    const values = await this.resolveValues(call, settings, facts);
    return new Map(
      [...ids].map((id) => {
        const ofTree = settings.filter(({ place }) => place!.id === id);
        return [
          id,
          {
            ...this.assemble(id, ofTree, values),
            checked: listChecked(ofTree, facts),
            expiring: listExpiring(ofTree, facts),
          },
        ];
      }),
    );
  }

  /** Values of settings, or their defaults where users store their own. */
  async readValues(call: UserRequest, settings: readonly ConfigSetting[]): Promise<Map<ConfigSetting, unknown>> {
    return this.resolveValues(call, settings, await this.facts.load(call, settings));
  }

  private async resolveValues(
    { principal }: UserRequest,
    settings: readonly ConfigSetting[],
    facts: SettingFacts,
  ): Promise<Map<ConfigSetting, unknown>> {
    return new Map(
      await Promise.all(
        settings.map(async (setting) => {
          const given = setting.property && (await this.properties.get(setting.property, principal));
          return [setting, given ?? setting.read(facts)] as const;
        }),
      ),
    );
  }

  private assemble(
    id: string,
    settings: readonly ConfigSetting[],
    values: Map<ConfigSetting, unknown>,
  ): Omit<ServerTree, 'checked' | 'expiring'> {
    const ofFile = this.file.settings.filter(({ place }) => place.id === id);
    let defaults: Tree = {};
    for (const setting of settings) {
      const value = values.get(setting);
      if (value !== undefined) defaults = mergeTrees(defaults, treeOf(setting.place!.path, value));
    }
    for (const { place, value } of ofFile)
      defaults = mergeTrees(withoutPath(defaults, place.path), treeOf(place.path, value));
    const fixed = [
      ...settings.filter(({ change }) => !change).map(({ place }) => place!),
      ...ofFile.filter(({ configurable }) => !configurable).map(({ place }) => place),
    ];
    return {
      defaults,
      fixed: fixed
        .map((place) => ({ place, value: valueAt(defaults, place.path) }))
        .filter(({ value }) => value !== undefined),
      userFields: settings.filter(({ change }) => change?.userField),
      ofCalendar: settings.filter(({ change }) => change?.isBirthdayAlarms),
      ownProperties: settings.filter(({ isOwn }) => isOwn),
    };
  }
}

/** The places of settings whose only store is the tree; an older name of a setting has the same place. */
function listChecked(settings: readonly ConfigSetting[], facts: SettingFacts): CheckedPlace[] {
  const byPlace = groupBy(settings.filter(isKeptInTree), ({ place }) => JSON.stringify(place));
  return [...byPlace.values()].map((names) => ({
    place: names[0]!.place!,
    accepts: (value) => names.some(({ change }) => isDeepStrictEqual(change!.accept(value, facts), value)),
  }));
}

const listExpiring = (settings: readonly ConfigSetting[], facts: SettingFacts): CheckedPlace[] =>
  settings.flatMap((setting) =>
    setting.isPossible ? [{ place: setting.place!, accepts: (value) => setting.isPossible!(value, facts) }] : [],
  );

/** Whether a setting has no value of the server: the tree of such settings exists when a user made it. */
const isFreeText = ({ place }: ConfigSetting): boolean => place?.id === 'gui';
