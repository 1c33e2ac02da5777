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
import { Owners, type FolderRequest } from '../owners/owners';
import { IdForm, parseAllowedModules, type IdFormParameters } from '../domain/content-types';
import { FolderTree, parseTreeId } from './folder-tree';
import { resolveColumns, type FolderView } from './folder-wire';

/** Parameters of all folder calls. */
export interface TreeParameters extends IdFormParameters {
  readonly tree?: string;
  readonly language?: string;
  readonly timezone?: string;
  readonly altNames?: boolean;
}

/** Builds the tree of a user from the folders of all modules. */
@Injectable()
export class TreeLoader {
  constructor(
    private readonly owners: Owners,
    private readonly directory: Directory,
    private readonly properties: Properties,
  ) {}

  /** Resolves requested columns; unknown numbers are empty or FLD-0059, as configured, unknown names always FLD-0059. */
  async resolveColumns({ principal }: FolderRequest, columns: readonly string[]): Promise<FieldDescription[]> {
    const { fields, unknown } = resolveColumns(columns);
    if (
      unknown !== undefined &&
      (!/^\d+$/.test(unknown) || (await this.properties.get(UNKNOWN_COLUMNS, principal)) === 'reject')
    )
      throw FolderErrors.unknownField(unknown);
    return fields;
  }

  /** Loads the view of the requested tree; `following` and `counts` as in {@link Owners.listVisible}. */
  async loadView(
    request: FolderRequest,
    parameters: TreeParameters,
    following = false,
    counts = false,
  ): Promise<FolderView> {
    const tree = parseTreeId(parameters.tree);
    const { principal } = request;
    const zone = ZoneOffsets.of(resolveZone(parameters.timezone, principal.timeZone));
    const allowed = parseAllowedModules(parameters.allowed_modules);
    const { folders, stamp } = await this.owners.listVisible(request, { following, counts });
    const locale = parameters.language || principal.locale;
    const { names, guests } = await this.loadPeople(request, folders, locale);
    return {
      tree: await FolderTree.build({ user: principal, locale, tree, altNames: parameters.altNames, folders, names }),
      zone,
      names,
      guests,
      viewedByGuest: principal.guest ? principal.userId : undefined,
      form: IdForm.of(parameters),
      stamp,
      locale,
      isAllowed: ({ module }) => module === 'system' || !allowed || allowed.has(module),
    };
  }

  /** Loads display names and guests of all owners and permission entries. */
  private async loadPeople(request: FolderRequest, folders: readonly OwnedFolder[], locale: string) {
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
      for (const [id, entity] of await this.directory.getEntities(principal, ids)) {
        names.set(id, entity.displayName);
        if (entity.kind === 'guest') guests.set(id, entity);
      }
    return { names, guests };
  }
}

function resolveZone(parameter: string | undefined, userZone: string): string {
  if (!parameter) return resolveTimeZone(userZone) ?? 'UTC';
  const zone = resolveTimeZone(parameter);
  if (!zone) throw FolderErrors.badParameter('timezone', parameter);
  return zone;
}
