import fc from 'fast-check';
import { parsePublishedConfig } from './published-config';
import { listLogins, sortSuggestions, parseGuess } from './suggestion';

const document = (inner: string) =>
  `<?xml version="1.0"?><clientConfig version="1.1"><emailProvider id="x">${inner}</emailProvider></clientConfig>`;
const server = (tag: string, type: string, host: string, port: string, socket: string, login = '') =>
  `<${tag} type="${type}"><hostname>${host}</hostname><port>${port}</port><socketType>${socket}</socketType>
   <username>${login}</username></${tag}>`;

describe('published configurations', () => {
  it('name servers with ports, encryption and login', () => {
    const xml = document(
      server('incomingServer', 'imap', 'IMAP.Example.org', '993', 'SSL', '%EMAILLOCALPART%') +
        server('incomingServer', 'pop3', 'pop.example.org', '110', 'STARTTLS') +
        server('outgoingServer', 'smtp', 'smtp.example.org', '25', 'plain'),
    );
    expect(parsePublishedConfig(xml, 'web')).toEqual({
      source: 'web',
      mail: [
        {
          protocol: 'imap',
          host: 'imap.example.org',
          port: 993,
          secure: true,
          starttls: false,
          login: '%EMAILLOCALPART%',
        },
        { protocol: 'pop3', host: 'pop.example.org', port: 110, secure: false, starttls: true },
      ],
      transport: [{ protocol: 'smtp', host: 'smtp.example.org', port: 25, secure: false, starttls: false }],
    });
  });

  it.each([
    ['no document', 'not found'],
    ['another document', '<html><body/></html>'],
    ['no servers', document('')],
    ['an unknown protocol', document(server('incomingServer', 'exchange', 'a.test', '443', 'SSL'))],
    ['no host', document(server('incomingServer', 'imap', 'a b', '993', 'SSL'))],
    ['no port', document(server('incomingServer', 'imap', 'a.test', '99999', 'SSL'))],
    [
      'entities',
      `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${document(server('incomingServer', 'imap', '&b;', '993', 'SSL'))}`,
    ],
  ])('are not read from %s', (_name, xml) => expect(parsePublishedConfig(xml, 'web')).toBeUndefined());

  it('never fail on noise', () => {
    fc.assert(fc.property(fc.string(), (text) => void parsePublishedConfig(document(text), 'web')));
    fc.assert(fc.property(fc.string(), (text) => void parsePublishedConfig(text, 'web')));
  });
});

describe('suggestions', () => {
  const imap = { protocol: 'imap', host: 'a', port: 1, secure: true, starttls: false };
  const pop3 = { ...imap, protocol: 'pop3' };
  const plain = { ...imap, secure: false };

  it('are tried encrypted first, IMAP before POP3', () => {
    expect(sortSuggestions([plain, pop3, imap], false)).toEqual([imap, pop3, plain]);
    expect(sortSuggestions([plain, pop3], true)).toEqual([pop3]);
  });

  it('log in as they say, else with the address, then with its local part', () => {
    const parts = { address: 'ann@x.test', local: 'ann', domain: 'x.test' };
    expect(listLogins(imap, parts)).toEqual(['ann@x.test', 'ann']);
    expect(listLogins({ ...imap, login: '%EMAILDOMAIN%-%EMAILLOCALPART%' }, parts)).toEqual(['x.test-ann']);
  });

  it('are read from settings', () => {
    expect(parseGuess('imap+starttls:143')).toEqual({ protocol: 'imap', secure: false, starttls: true, port: 143 });
    expect(parseGuess('smtps:465')).toEqual({ protocol: 'smtp', secure: true, starttls: false, port: 465 });
    expect(parseGuess('http:80')).toBeUndefined();
  });
});
