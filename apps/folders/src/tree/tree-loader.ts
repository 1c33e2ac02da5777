import { Injectable } from '@nestjs/common';
import {
  ALL_GUESTS,
  FolderErrors,
  localText,
  UNKNOWN_COLUMNS,
  type DirectoryGuest,
  type FieldDescription,
  type OwnedFolder,
} from '@groupware/contracts';
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
    const locale = parameters.language || principal.locale;
    const { names, guests } = await this.people(request, folders, locale);
    return {
      tree: new FolderTree({ user: principal, locale, tree, folders, names }),
      zone,
      names,
      guests,
      viewedByGuest: principal.guest ? principal.userId : undefined,
      stamp,
      locale,
      isAllowed: ({ module }) => module === 'system' || !allowed || allowed.has(module),
    };
  }

  /** Display names of all who own folders or have rights on them, and the guests among them. */
  private async people(request: Request, folders: readonly OwnedFolder[], locale: string) {
    const { principal } = request;
    const ids = new Set(
      folders.flatMap(({ createdBy, permissions }) => [createdBy, ...permissions.map(({ entity }) => entity)]),
    );
    for (const known of [0, ALL_GUESTS, ...(principal.guest ? [] : [principal.userId])]) ids.delete(known);
    const names = new Map([
      [principal.userId, principal.displayName],
      [ALL_GUESTS, localText('folder.guests', locale)],
    ]);
    const guests = new Map<number, DirectoryGuest>();
    if (ids.size > 0)
      for (const [id, entity] of await this.directory.entities(principal, ids)) {
        names.set(id, entity.displayName);
        if (entity.kind === 'guest') guests.set(id, entity);
      }
    return { names, guests };
  }
}

function zoneName(parameter: string | undefined, userZone: string): string {
  if (!parameter) return resolveTimeZone(userZone) ?? 'UTC';
  const zone = resolveTimeZone(parameter);
  if (!zone) throw FolderErrors.badParameter('timezone', parameter);
  return zone;
}
