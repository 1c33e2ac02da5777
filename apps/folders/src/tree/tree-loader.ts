import { Injectable } from '@nestjs/common';
import { FolderErrors, UNKNOWN_COLUMNS, type FieldDescription, type OwnedFolder } from '@groupware/contracts';
import { Directory } from '@groupware/directory';
import { resolveTimeZone, ZoneOffsets } from '@groupware/recurrence';
import { Properties } from '@groupware/service-kit';
import { Owners, type Request } from '../owners';
import { allowedModules } from './allowed-modules';
import { FolderTree, treeId } from './folder-tree';
import { folderColumns, type FolderView } from './folder-wire';

/** What all folder calls take. */
export interface TreeParameters {
  readonly tree?: string;
  readonly allowed_modules?: string;
  readonly language?: string;
  readonly timezone?: string;
}

/** Builds the tree of a user from what all modules answer. */
@Injectable()
export class TreeLoader {
  constructor(
    private readonly owners: Owners,
    private readonly directory: Directory,
    private readonly properties: Properties,
  ) {}

  /** The fields of the asked columns; unknown ones are FLD-0059 or empty, as configured. */
  async columns({ principal }: Request, columns: readonly string[]): Promise<FieldDescription[]> {
    const { fields, unknown } = folderColumns(columns);
    if (unknown !== undefined && (await this.properties.get(UNKNOWN_COLUMNS, principal)) === 'reject')
      throw FolderErrors.unknownField(unknown);
    return fields;
  }

  /** The tree a request asks for, ready to be shown; `following` as in {@link Owners.visible}. */
  async load(request: Request, parameters: TreeParameters, following = false): Promise<FolderView> {
    const tree = treeId(parameters.tree);
    const { principal } = request;
    const zone = ZoneOffsets.of(zoneName(parameters.timezone, principal.timeZone));
    const allowed = allowedModules(parameters.allowed_modules);
    const { folders, stamp } = await this.owners.visible(request, following);
    const names = await this.names(request, folders);
    const locale = parameters.language || principal.locale;
    return {
      tree: new FolderTree({ user: principal, locale, tree, folders, names }),
      zone,
      names,
      stamp,
      locale,
      isAllowed: ({ module }) => module === 'system' || !allowed || allowed.has(module),
    };
  }

  /** Display names of all who own folders or have rights on them. */
  private async names(request: Request, folders: readonly OwnedFolder[]): Promise<Map<number, string>> {
    const { principal } = request;
    const ids = new Set(
      folders.flatMap(({ createdBy, permissions }) => [createdBy, ...permissions.map(({ entity }) => entity)]),
    );
    ids.delete(principal.userId);
    ids.delete(0);
    const names = new Map([[principal.userId, principal.displayName]]);
    if (ids.size > 0)
      for (const [id, { displayName }] of await this.directory.entities(principal, ids)) names.set(id, displayName);
    return names;
  }
}

function zoneName(parameter: string | undefined, userZone: string): string {
  if (!parameter) return resolveTimeZone(userZone) ?? 'UTC';
  const zone = resolveTimeZone(parameter);
  if (!zone) throw FolderErrors.badParameter('timezone', parameter);
  return zone;
}
