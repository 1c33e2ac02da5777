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

/** An entry of a permission list for a guest who is to be made with it. */
export interface WantedGuest {
  readonly bits: number;
  readonly password?: string;
  readonly expires?: number;
}

/** An entry for somebody outside, by mail address. */
export interface WantedInvitation {
  readonly bits: number;
  readonly email: string;
  readonly displayName?: string;
}

/** The permission list of a body, and the guests who may not be there yet. */
export interface WantedPermissions {
  readonly known: OwnedPermission[];
  readonly link?: WantedGuest;
  readonly invited: readonly WantedInvitation[];
}

/** The permission list of a body; undefined when it has none. Entries without entity or bits are FLD-0007. */
export function permissionsOf(folder: FolderData): WantedPermissions | undefined {
  if (folder.permissions == null) return undefined;
  const known: OwnedPermission[] = [];
  const links: WantedGuest[] = [];
  const invited: WantedInvitation[] = [];
  for (const entry of folder.permissions) {
    const { entity, group, type, bits, password, expiry_date: expires, email_address: email } = entry;
    if (bits == null) throw FolderErrors.missingField('permissions.bits');
    if (entity != null) known.push({ entity, bits, group: group ?? type === 'group' });
    else if (type === 'anonymous') links.push({ bits, password: password ?? undefined, expires: expires ?? undefined });
    else if (type === 'guest' && email != null) {
      // A guest chooses the password, and goes with the rights.
      if (password != null) throw FolderErrors.badParameter('permissions.password', type);
      if (expires != null) throw FolderErrors.badParameter('permissions.expiry_date', type);
      invited.push({ bits, email, displayName: entry.display_name ?? undefined });
    } else throw FolderErrors.missingField(type === 'guest' ? 'permissions.email_address' : 'permissions.entity');
  }
  const [link, second] = links;
  // A folder has one link.
  if (second) throw FolderErrors.unknownEntity('anonymous');
  return { known, invited, ...(link && { link }) };
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
