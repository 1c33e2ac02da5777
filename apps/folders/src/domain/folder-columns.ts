import { fieldsOf, FolderData, FolderErrors, type FieldDescription } from '@groupware/contracts';
import type { FolderNode, FolderTree } from './folder-tree';

/** `standard_folder_type` of default folders by module. */
const STANDARD_TYPES: Readonly<Record<string, number>> = { tasks: 1, calendar: 2, contacts: 3, infostore: 8 };

/** Free attribute that holds colour, description and the like. */
export const EXTENDED_PROPERTIES = 'com.openexchange.calendar.extendedProperties';

/** What a folder looks like depends on these. */
export interface FolderView {
  readonly tree: FolderTree;
  /** Shifts ms UTC by the zone of the request. */
  readonly shift: (timeMs: number) => number;
  readonly nameOf: (userId: number) => string;
}

/** A folder as object with wire names; what is not known is left out. */
export function folderObject(node: FolderNode, view: FolderView): Record<string, unknown> {
  const { owned } = node;
  const below = view.tree.below(node.id);
  const common = {
    id: node.id,
    folder_id: node.parent,
    title: node.title,
    module: node.module,
    type: node.type,
    subfolders: below.length > 0,
    own_rights: node.ownRights,
    standard_folder: owned?.isDefault ?? false,
    total: owned?.total ?? -1,
    subscribed: node.subscribed,
    subscr_subflds: below.some((child) => child.subscribed),
    standard_folder_type: owned?.isDefault ? (STANDARD_TYPES[owned.module] ?? 0) : 0,
    supported_capabilities: owned ? ['permissions'] : [],
  };
  if (!owned) return { ...common, permissions: [{ bits: node.ownRights, entity: 0, group: true }] };
  const extended = owned.properties?.[EXTENDED_PROPERTIES];
  return {
    ...common,
    created_by: String(owned.createdBy),
    modified_by: String(owned.modifiedBy),
    creation_date: view.shift(owned.created),
    last_modified: view.shift(owned.lastModified),
    last_modified_utc: owned.lastModified,
    permissions: owned.permissions.map(({ entity, group, bits }) => ({
      bits,
      entity,
      group,
      type: group ? 'group' : 'user',
    })),
    ...(node.type === 3 ? { 'com.openexchange.folderstorage.displayName': view.nameOf(owned.createdBy) } : {}),
    ...(extended === undefined ? {} : { [EXTENDED_PROPERTIES]: extended }),
  };
}

const fields = fieldsOf(FolderData);
const byColumn = new Map(fields.map((field) => [String(field.column), field]));
const byName = new Map(fields.map((field) => [field.wireName, field]));

/**
 * The fields of asked columns, given as numbers or names.
 * @throws FLD-0059 for an unknown one
 */
export function columnsOf(columns: readonly string[]): FieldDescription[] {
  return columns.map((column) => {
    const field = byColumn.get(column) ?? byName.get(column);
    if (!field) throw FolderErrors.unknownField(column);
    return field;
  });
}

/** A folder as row. */
export function folderRow(node: FolderNode, columns: readonly FieldDescription[], view: FolderView): unknown[] {
  const object = folderObject(node, view);
  return columns.map((field) => object[field.wireName] ?? null);
}
