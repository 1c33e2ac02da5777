import {
  FolderErrors,
  type FolderBody,
  type FolderData,
  type FolderNotification,
  type OwnedPermission,
  type SharingNotice,
} from '@groupware/contracts';

/** The folder of a body, nested or the body itself. */
export const toFolderInput = (body: FolderBody): FolderData => body.folder ?? body;

/** Permission entry for a new guest. */
export interface GuestLinkInput {
  readonly bits: number;
  readonly password?: string;
  readonly expires?: number;
}

/** Permission entry for an external guest, by mail address. */
export interface InvitationInput {
  readonly bits: number;
  readonly email: string;
  readonly displayName?: string;
}

/** Permission list of a body, with guests that may not exist yet. */
export interface PermissionsInput {
  readonly known: OwnedPermission[];
  readonly link?: GuestLinkInput;
  readonly invited: readonly InvitationInput[];
}

/** Parses the permission list of a body; undefined when absent. @throws FLD-0007 for entries without entity or bits */
export function parsePermissions(folder: FolderData): PermissionsInput | undefined {
  if (folder.permissions == null) return undefined;
  const known: OwnedPermission[] = [];
  const links: GuestLinkInput[] = [];
  const invited: InvitationInput[] = [];
  for (const entry of folder.permissions) {
    const { entity, group, type, bits, password, expiry_date: expires, email_address: email } = entry;
    if (bits == null) throw FolderErrors.missingField('permissions.bits');
    if (entity != null) known.push({ entity, bits, group: group ?? type === 'group' });
    else if (type === 'anonymous') links.push({ bits, password: password ?? undefined, expires: expires ?? undefined });
    else if (type === 'guest' && email != null) {
      // Guests choose their password and are removed with their permissions.
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

/** Parses the notification of new permissions; undefined when absent. @throws FLD-0058 unless by mail */
export function parseNotice(notification: FolderNotification | null | undefined): SharingNotice | undefined {
  if (!notification) return undefined;
  const { transport, message } = notification;
  if (transport != null && transport !== 'mail') throw FolderErrors.badParameter('transport', transport);
  return { message: message ?? undefined };
}

/** Parses free attributes of a body; undefined when absent. */
export function parseProperties(folder: FolderData): Record<string, unknown> | undefined {
  const { calendarExtendedProperties: properties } = folder;
  if (properties == null) return undefined;
  if (typeof properties !== 'object' || Array.isArray(properties) || JSON.stringify(properties).length > MAX_PROPERTIES)
    throw FolderErrors.badParameter('com.openexchange.calendar.extendedProperties', typeof properties);
  return properties as Record<string, unknown>;
}

const MAX_PROPERTIES = 16_384;
