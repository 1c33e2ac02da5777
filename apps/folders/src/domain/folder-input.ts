import {
  FolderErrors,
  type FolderAccountRequest,
  type FolderData,
  type FolderNotification,
  type OwnedPermission,
  type SharingNotice,
} from '@groupware/contracts';
import { parseGuestContact, type LinkOptions } from '@groupware/folders';
import type { ZoneOffsets } from '@groupware/recurrence';

/** The folder of a body, nested or the body itself. */
export const toFolderInput = (body: FolderData & { readonly folder?: FolderData }): FolderData => body.folder ?? body;

/** Permission entry for the link of the folder, which may not exist yet. */
export interface GuestLinkInput extends LinkOptions {
  readonly bits: number;
}

/** Pin and end of the link of a known guest. */
export interface KnownLinkInput extends LinkOptions {
  readonly entity: number;
}

/** Permission entry for an external guest, by mail address. */
export interface InvitationInput {
  readonly bits: number;
  readonly email: string;
  readonly displayName?: string;
  readonly contact?: { readonly id: string; readonly folder: string };
}

/** Permission list of a body, with guests that may not exist yet. */
export interface PermissionsInput {
  readonly known: OwnedPermission[];
  readonly link?: GuestLinkInput;
  /** Entries of known guests that tell a pin or an end. */
  readonly knownLinks: readonly KnownLinkInput[];
  readonly invited: readonly InvitationInput[];
}

/** Parses the permission list of a body; undefined when absent. @throws FLD-0007 for entries without entity or bits */
export function parsePermissions(folder: FolderData, zone: ZoneOffsets): PermissionsInput | undefined {
  if (folder.permissions == null) return undefined;
  const known: OwnedPermission[] = [];
  const links: GuestLinkInput[] = [];
  const knownLinks: KnownLinkInput[] = [];
  const invited: InvitationInput[] = [];
  for (const entry of folder.permissions) {
    const { entity, group, type, bits, password, expiry_date: expires, email_address: email } = entry;
    if (bits == null) throw FolderErrors.missingField('permissions.bits');
    const options = { password, expires: expires == null ? expires : zone.localToInstant(expires) };
    if (entity != null) {
      known.push({ entity, bits, group: group ?? type === 'group' });
      const mayBeLink = !group && (type == null || type === 'anonymous');
      if (mayBeLink && (password !== undefined || expires !== undefined)) knownLinks.push({ entity, ...options });
    } else if (type === 'anonymous') links.push({ bits, ...options });
    else if (type === 'guest' && email != null) {
      // Guests choose their password and are removed with their permissions.
      if (password != null) throw FolderErrors.badParameter('permissions.password', type);
      if (expires != null) throw FolderErrors.badParameter('permissions.expiry_date', type);
      const contact = parseGuestContact(entry, (field) => FolderErrors.missingField(`permissions.${field}`));
      invited.push({ bits, email, displayName: entry.display_name ?? undefined, contact });
    } else throw FolderErrors.missingField(type === 'guest' ? 'permissions.email_address' : 'permissions.entity');
  }
  const [link, second] = links;
  // A folder has one link.
  if (second) throw FolderErrors.unknownEntity('anonymous');
  return { known, invited, knownLinks, ...(link && { link }) };
}

/** Parses the notification of new permissions; undefined when absent. @throws FLD-0058 unless by mail */
export function parseNotice(notification: FolderNotification | null | undefined): SharingNotice | undefined {
  if (!notification) return undefined;
  const { transport, message } = notification;
  if (transport != null && transport !== 'mail') throw FolderErrors.badParameter('transport', transport);
  return { message: message ?? undefined };
}

const EXTENDED_PROPERTIES = 'com.openexchange.calendar.extendedProperties';
/** Properties of calendars that are texts. */
const CALENDAR_TEXTS = ['color', 'description', 'scheduleTransp'] as const;
const TRANSPARENCIES: readonly unknown[] = ['OPAQUE', 'TRANSPARENT'];

/** Attributes and own settings of a body; absent parts are undefined. */
export interface AttributesInput {
  readonly properties?: Record<string, unknown>;
  readonly meta?: Record<string, unknown>;
  readonly usedForSync?: boolean;
}

/** Parses the free attributes of a body. What clients must not change among them is left out. @throws FLD-0058 */
export function parseAttributes(folder: FolderData): AttributesInput {
  const properties = parseObject(EXTENDED_PROPERTIES, folder.calendarExtendedProperties);
  const { usedForSync, lastUpdate: _lastUpdate, ...others } = properties ?? {};
  for (const name of CALENDAR_TEXTS) if (name in others) others[name] = parseText(name, others[name]);
  return {
    ...(Object.keys(others).length > 0 && { properties: others }),
    meta: parseObject('meta', folder.meta),
    usedForSync: parseFlag('used_for_sync', folder.used_for_sync ?? usedForSync),
  };
}

/** The provider of calendars of this product itself. */
const OWN_PROVIDER = 'chronos';

/** Parses the account elsewhere that a new folder of a body is to show; undefined for folders of this product. */
export function parseAccount({
  calendarProvider: provider,
  calendarConfig,
}: FolderData): FolderAccountRequest | undefined {
  if (provider == null || provider === OWN_PROVIDER) return undefined;
  return { provider, config: parseAccountConfig({ calendarConfig }) };
}

/** Parses the settings of the account elsewhere of a body; undefined when absent. */
export const parseAccountConfig = ({
  calendarConfig,
}: Pick<FolderData, 'calendarConfig'>): Record<string, unknown> | undefined =>
  parseObject('com.openexchange.calendar.config', calendarConfig);

function parseObject(name: string, value: unknown): Record<string, unknown> | undefined {
  if (value == null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value) || JSON.stringify(value).length > MAX_PROPERTIES)
    throw FolderErrors.badParameter(name, typeof value);
  return value as Record<string, unknown>;
}

/** The value of a property as `{value}`, or bare. */
const valueOf = (property: unknown): unknown =>
  typeof property === 'object' && property !== null && 'value' in property ? property.value : property;

/** A property of calendars to store; without a value where it has none any more. */
function parseText(name: (typeof CALENDAR_TEXTS)[number], property: unknown): { value?: string } {
  const value = valueOf(property);
  if (value == null) return {};
  if (typeof value !== 'string') throw FolderErrors.badParameter(name, typeof value);
  if (name === 'scheduleTransp' && !TRANSPARENCIES.includes(value)) throw FolderErrors.badParameter(name, value);
  return { value };
}

function parseFlag(name: string, flag: unknown): boolean | undefined {
  const value = valueOf(flag);
  if (value == null) return undefined;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  throw FolderErrors.badParameter(name, typeof value);
}

const MAX_PROPERTIES = 16_384;
