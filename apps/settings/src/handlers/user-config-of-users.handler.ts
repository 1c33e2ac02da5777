import { DEFAULT_JSLOB_SERVICE, userConfig, type CallOf, type Handler } from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { Handles } from '@groupware/service-kit';
import { CONFIG_SETTINGS } from '../domain/config-settings';
import { SettingsTreeRepository } from '../persistence/settings-tree.repository';

/** Settings of many users. */
@Handles(userConfig.ofUsers)
export class UserConfigOfUsersHandler implements Handler<typeof userConfig.ofUsers> {
  constructor(
    private readonly database: ModuleDatabase,
    private readonly trees: SettingsTreeRepository,
  ) {}

  async handle({ principal, query: { paths, ids } }: CallOf<typeof userConfig.ofUsers>) {
    return this.database.read(principal, async (db) => {
      const readValues = async (path: string): Promise<Record<string, unknown>> => {
        const setting = CONFIG_SETTINGS.find((each) => each.path === path && each.change && each.place);
        if (!setting) return {};
        const stored = await this.trees.findValues(db, ids, DEFAULT_JSLOB_SERVICE, setting.place!);
        return Object.fromEntries(ids.map((id) => [id, stored.get(id) ?? setting.initial ?? null]));
      };
      return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readValues(path)] as const)));
    });
  }
}
