import { Injectable } from '@nestjs/common';
import { CatalogueError, ConfigErrors, JslobErrors, type UserRequest } from '@groupware/contracts';
import { CONFIG_SETTINGS, fitsProperty, type ConfigSetting } from './domain/config-settings';
import { isTree, mergeTrees, overlayTrees, treeOf, valueAt, withoutPath, type Tree } from './domain/tree';
import { Facts } from './facts';
import { isOpen, ServerSettings } from './server-settings';
import { SettingTrees } from './setting-trees';

/** The configuration tree of users; the trees of clients hold the same values. */
@Injectable()
export class ConfigTree {
  constructor(
    private readonly trees: SettingTrees,
    private readonly server: ServerSettings,
    private readonly facts: Facts,
  ) {}

  /** A setting, or an object of those below a node. @throws USS-0004 */
  async read(call: UserRequest, path: string): Promise<unknown> {
    const wanted = CONFIG_SETTINGS.filter((setting) => isOpen(setting, call.principal) && isWithin(setting.path, path));
    if (wanted.length === 0) throw ConfigErrors.unknownPath(path);
    const [values, shown] = await Promise.all([
      this.server.readValues(
        call,
        wanted.filter(({ place, isOwn }) => !place || isOwn),
      ),
      this.trees.listFor(call, wanted),
    ]);
    const trees = new Map(shown.map(({ id, tree }) => [id, tree]));
    let below: Tree = {};
    for (const setting of wanted) {
      const { place, property, isOwn } = setting;
      const inTree = place && valueAt(trees.get(place.id)!, place.path);
      // The module acts by the property; a client may have something else in its tree.
      const isElsewhere = !place || (isOwn && !fitsProperty(property!, inTree));
      const kept = isElsewhere ? values.get(setting) : inTree;
      const value = setting.show ? setting.show(kept) : kept;
      if (setting.path === path) return value ?? null;
      const names = setting.path.slice(path === '' ? 0 : path.length + 1).split('/');
      if (value !== undefined) below = mergeTrees(below, treeOf(names, value));
    }
    return below;
  }

  /**
   * Stores a setting, or those of an object below a node one by one.
   * @throws USS-0003 to USS-0005 and USS-0009; of several failures the last one, when all others were stored
   */
  async write(call: UserRequest, path: string, value: unknown): Promise<void> {
    const setting = CONFIG_SETTINGS.find((each) => each.path === path && isOpen(each, call.principal));
    if (setting) return this.writeSetting(call, setting, value);
    const below = CONFIG_SETTINGS.filter((each) => isOpen(each, call.principal) && isWithin(each.path, path));
    if (below.length === 0) throw ConfigErrors.unknownPath(path);
    if (!isTree(value)) throw ConfigErrors.notALeaf(path);
    let failure: CatalogueError | undefined;
    for (const each of below) {
      const inner = valueAt(value, each.path.slice(path === '' ? 0 : path.length + 1).split('/'));
      if (inner === undefined) continue;
      try {
        await this.writeSetting(call, each, inner);
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        failure = error;
      }
    }
    if (failure) throw failure;
  }

  private async writeSetting(call: UserRequest, setting: ConfigSetting, value: unknown): Promise<void> {
    const { path, place, change } = setting;
    if (!change || !place) throw ConfigErrors.readOnly(path);
    const accepted = change.accept(value, await this.facts.load(call, [setting]));
    if (accepted === undefined) throw ConfigErrors.invalidValue(JSON.stringify(value).slice(0, 200), path);
    try {
      const [warning] = await this.trees.change(call, place.id, (shown) =>
        overlayTrees(withoutPath(shown, place.path), treeOf(place.path, accepted)),
      );
      if (warning?.is(JslobErrors.fixed)) throw ConfigErrors.readOnly(path);
    } catch (error) {
      if (change.userField && error instanceof CatalogueError && error.code.startsWith('USR-'))
        throw ConfigErrors.invalidValue(JSON.stringify(value).slice(0, 200), path);
      throw error;
    }
  }
}

const isWithin = (path: string, node: string): boolean => node === '' || path === node || path.startsWith(`${node}/`);
