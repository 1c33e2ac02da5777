import {
  FolderErrors,
  reply,
  RequestErrors,
  ShareErrors,
  shareManagement,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { zoneOf } from '../domain/request-zone';
import { ShareLinks } from '../sharing/share-links';

/** Maximum length of client data as JSON. */
const MAX_META = 16_384;

/** `updateLink`: changes pin, expiry, client data and reach of a link. */
@Handles(shareManagement.updateLink)
export class UpdateLinkHandler implements Handler<typeof shareManagement.updateLink> {
  constructor(private readonly links: ShareLinks) {}

  async handle(call: CallOf<typeof shareManagement.updateLink>) {
    const { password, expiry_date: end, includeSubfolders: includesBelow } = call.body;
    const zone = zoneOf(call.principal, call.query.timezone);
    const expires = end == null ? end : zone.localToInstant(end);
    if (includesBelow && call.body.item != null)
      throw RequestErrors.badBodyData('includeSubfolders: no document has any');
    const meta = parseMeta(call.body.meta);
    const found = await this.links.requireCurrentLink(
      call,
      call.body,
      call.query.timestamp,
      ShareErrors.noEditPermission,
    );
    const change = { password, expires, meta, includesBelow, known: found.link.changed };
    const { stamp, skipped } = await this.links.changeLink(call, found, change);
    const warnings = skipped.map((folder) => FolderErrors.noAdminAccess(folder));
    return reply<Record<string, never>>({}, { timestamp: stamp, warnings });
  }
}

/** Parses client data: null removes it, undefined leaves it. @throws SVL-0031 */
function parseMeta(meta: unknown): Record<string, unknown> | null | undefined {
  if (meta == null) return meta;
  if (typeof meta !== 'object' || Array.isArray(meta)) throw RequestErrors.badBodyData('meta: expected an object');
  if (JSON.stringify(meta).length > MAX_META) throw RequestErrors.badBodyData(`meta: more than ${MAX_META} characters`);
  return meta as Record<string, unknown>;
}
