import { FeedErrors } from '@groupware/contracts';

/** Schemes of calendars of the web, and how they are read. */
const SCHEMES: Readonly<Record<string, string>> = {
  'http:': 'http:',
  'https:': 'https:',
  'webcal:': 'http:',
  'webcals:': 'https:',
};

/** Names of this machine, which no calendar of the web has. */
const LOCAL_HOST = /(^|\.)localhost\.?$/;

/**
 * The address at which a calendar of the web is read.
 * @throws ICAL-PROV-4041 for what is no address or holds a login, 4042 for another scheme or this machine
 */
export function parseFeedAddress(text: string): URL {
  // Halves of characters are in no URI.
  if (/\p{Cs}/u.test(text) || !URL.canParse(text)) throw FeedErrors.badAddress();
  const given = new URL(text);
  const scheme = SCHEMES[given.protocol];
  if (scheme === undefined) throw FeedErrors.addressRefused();
  // Changing the scheme of a URL object does not work between these.
  const address = scheme + text.trim().slice(given.protocol.length);
  if (!URL.canParse(address)) throw FeedErrors.badAddress();
  const url = new URL(address);
  if (url.username || url.password) throw FeedErrors.badAddress();
  if (LOCAL_HOST.test(url.hostname)) throw FeedErrors.addressRefused();
  return url;
}

/** The name of the file in an address, without `.ics`; the host when there is none. */
export function nameFeed({ pathname, hostname }: URL): string {
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  return decodePart(last).replace(/\.ics$/i, '') || hostname;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
