import {
  MAIL_ADDRESS,
  reply,
  RequestErrors,
  SHARE_MAX_RECIPIENTS,
  ShareErrors,
  shareManagement,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { Handles, Properties } from '@groupware/service-kit';
import { ShareAddresses } from '../sharing/share-addresses';
import { ShareLinks, toLinkStamp } from '../sharing/share-links';
import { ShareMails, type LinkRecipient } from '../sharing/share-mails';

/** `sendLink`: sends the link of a folder or document by mail; made when there is none. */
@Handles(shareManagement.sendLink)
export class SendLinkHandler implements Handler<typeof shareManagement.sendLink> {
  constructor(
    private readonly links: ShareLinks,
    private readonly addresses: ShareAddresses,
    private readonly mails: ShareMails,
    private readonly properties: Properties,
  ) {}

  async handle(call: CallOf<typeof shareManagement.sendLink>) {
    const recipients = parseRecipients(call.body.recipients, this.properties.serverValue(SHARE_MAX_RECIPIENTS));
    const { target, link } = await this.links.findOrCreateLink(call, call.body);
    const url = this.addresses.createAddress(call.edge!, link.token, target);
    const message = call.body.message ?? undefined;
    const { password: pin } = link;
    const warnings = await this.mails.sendLink(call, { target, url, pin, message }, recipients);
    return reply(undefined, { timestamp: toLinkStamp(target, link), warnings });
  }
}

/** Parses `[["name", "address"]]`; the name may be null. @throws SVL-0031, SHR-0005 for what is no address */
function parseRecipients(value: unknown, limit: number): LinkRecipient[] {
  if (!Array.isArray(value) || value.length === 0) throw RequestErrors.badBodyData('recipients: expected a list');
  if (value.length > limit) throw RequestErrors.badBodyData(`recipients: more than ${limit}`);
  return value.map((entry: unknown): LinkRecipient => {
    const [name, address] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof address !== 'string' || (name != null && typeof name !== 'string'))
      throw RequestErrors.badBodyData('recipients: expected pairs of name and address');
    if (address.length > 320 || !MAIL_ADDRESS.test(address.trim())) throw ShareErrors.badAddress(address.slice(0, 320));
    return { address: address.trim(), ...(name ? { name: name.slice(0, 256) } : {}) };
  });
}
