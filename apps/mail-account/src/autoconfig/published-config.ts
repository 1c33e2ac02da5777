import { readHost } from '@groupware/outbound';
import { XMLParser } from 'fast-xml-parser';
import type { Suggestion, Suggestions } from './suggestion';

/** Servers of one document that are looked at. */
const MAX_SERVERS = 20;

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  // Entities could make a small document a huge one.
  processEntities: false,
  isArray: (name) => name === 'incomingServer' || name === 'outgoingServer',
});

/**
 * Reads the format in which domains publish their servers (`config-v1.1.xml`).
 * @returns undefined when it is no such document or names no server we can use
 */
export function readPublishedConfig(xml: string, source: string): Suggestions | undefined {
  let document: unknown;
  try {
    document = parser.parse(xml);
  } catch {
    return undefined;
  }
  const provider = child(child(document, 'clientConfig'), 'emailProvider');
  const mail = servers(child(provider, 'incomingServer'), ['imap', 'pop3']);
  const transport = servers(child(provider, 'outgoingServer'), ['smtp']);
  return mail.length + transport.length > 0 ? { source, mail, transport } : undefined;
}

const child = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined;

function servers(list: unknown, protocols: readonly string[]): Suggestion[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_SERVERS).flatMap((entry: unknown) => {
    const text = (name: string): string => {
      const value = child(entry, name);
      return typeof value === 'string' ? value.trim() : Array.isArray(value) ? String(value[0]).trim() : '';
    };
    const host = readHost(text('hostname'));
    const port = Number(text('port'));
    const protocol = text('@type').toLowerCase();
    const socket = text('socketType').toUpperCase();
    const login = text('username');
    const usable = host && Number.isInteger(port) && port >= 1 && port <= 65_535 && protocols.includes(protocol);
    if (!usable) return [];
    const suggestion = {
      protocol,
      host: host.host,
      port,
      secure: socket === 'SSL',
      starttls: socket === 'STARTTLS',
    };
    return [login.length > 0 && login.length <= 320 ? { ...suggestion, login } : suggestion];
  });
}
