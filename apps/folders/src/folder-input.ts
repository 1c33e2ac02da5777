import {
  FolderErrors,
  type FolderBody,
  type FolderData,
  type FolderNotification,
  type OwnedPermission,
  type SharingNotice,
} from '@groupware/contracts';

/** The folder of a body, which may stand inside of it or be it. */
export const folderOfBody = (body: FolderBody): FolderData => body.folder ?? body;

/** The permission list of a body; undefined when it has none. Entries without entity or bits are FLD-0007. */
export function permissionsOf(folder: FolderData): OwnedPermission[] | undefined {
  return folder.permissions?.map(({ entity, group, type, bits }) => {
    // Guests and anonymous links have no accounts here.
    if (type === 'guest' || type === 'anonymous') throw FolderErrors.unknownEntity(type);
    if (entity == null) throw FolderErrors.missingField('permissions.entity');
    if (bits == null) throw FolderErrors.missingField('permissions.bits');
    return { entity, bits, group: group ?? type === 'group' };
  });
}

/** How those who got permissions are told; undefined when they are not. By mail only (FLD-0058). */
export function noticeOf(notification: FolderNotification | null | undefined): SharingNotice | undefined {
  if (!notification) return undefined;
  const { transport, message } = notification;
  if (transport != null && transport !== 'mail') throw FolderErrors.badParameter('transport', transport);
  return { message: message ?? undefined };
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
