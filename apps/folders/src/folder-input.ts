import { FolderErrors, type FolderBody, type FolderData, type OwnedPermission } from '@groupware/contracts';

/** The folder of a body, which may stand inside of it or be it. */
export const folderOfBody = (body: FolderBody): FolderData => body.folder ?? body;

/** The permission list of a body; undefined when it has none. Entries without entity or bits are FLD-0007. */
export function permissionsOf(folder: FolderData): OwnedPermission[] | undefined {
  return folder.permissions?.map(({ entity, group, type, bits }) => {
    if (entity == null) throw FolderErrors.missingField('permissions.entity');
    if (bits == null) throw FolderErrors.missingField('permissions.bits');
    return { entity, bits, group: group ?? type === 'group' };
  });
}

/** Free attributes of a body; undefined when it has none. */
export function propertiesOf(folder: FolderData): Record<string, unknown> | undefined {
  const { calendarExtendedProperties: properties } = folder;
  if (properties == null) return undefined;
  if (typeof properties !== 'object' || Array.isArray(properties) || JSON.stringify(properties).length > MAX_PROPERTIES)
    throw FolderErrors.badParameter('com.openexchange.calendar.extendedProperties', typeof properties);
  return properties as Record<string, unknown>;
}

const MAX_PROPERTIES = 16_384;
/** Names tried when a name is taken and may be numbered. */
const MAX_NAMES = 100;

/** Runs a write with the name, and again with the next number as long as the name is taken. */
export async function withFreeName<T>(
  title: string,
  autorename: boolean | undefined,
  write: (title: string) => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count++)
    try {
      return await write(count === 1 ? title : `${title} (${count})`);
    } catch (error) {
      if (!autorename || count >= MAX_NAMES || !isNameTaken(error)) throw error;
    }
}

const isNameTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === FolderErrors.nameTaken.entry.code;
