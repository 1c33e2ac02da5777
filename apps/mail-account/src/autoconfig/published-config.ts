import { readHost } from '@groupware/outbound';
import { XMLParser } from 'fast-xml-parser';
import type { Suggestion, Suggestions } from './suggestion';

/** Maximum number of servers read from a document. */
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
 * Parses the autoconfig format (`config-v1.1.xml`).
 * @returns undefined for other documents and without a usable server
 */
export function parsePublishedConfig(xml: string, source: string): Suggestions | undefined {
  let document: unknown;
  try {
    document = parser.parse(xml);
  } catch {
    return undefined;
  }
  const provider = readChild(readChild(document, 'clientConfig'), 'emailProvider');
  const mail = parseServers(readChild(provider, 'incomingServer'), ['imap', 'pop3']);
  const transport = parseServers(readChild(provider, 'outgoingServer'), ['smtp']);
  return mail.length + transport.length > 0 ? { source, mail, transport } : undefined;
}

const readChild = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[name] : undefined;

function parseServers(list: unknown, protocols: readonly string[]): Suggestion[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_SERVERS).flatMap((entry: unknown) => {
    const text = (name: string): string => {
      const value = readChild(entry, name);
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
