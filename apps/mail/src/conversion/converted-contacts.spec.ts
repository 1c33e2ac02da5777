import { setLogDestination } from '@groupware/service-kit';
import { person } from '@groupware/test-kit';
import { ConvertedContacts } from './converted-contacts';

describe('contacts that are converted', () => {
  it('are answered with a warning where the file of their export stays', async () => {
    const lines: Record<string, unknown>[] = [];
    setLogDestination({ write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    const store = {
      read: async function* () {
        yield Buffer.from('BEGIN:VCARD');
      },
      discard: async () => {
        throw new Error('no store');
      },
    };
    const caller = { request: async () => ({ file: { reference: 'r' } }) };
    const contacts = new ConvertedContacts(caller as never, { get: async () => 1_000 } as never, store as never);
    const principal = { ...person(7, { contextId: 3 }), capabilities: ['contacts'] };
    const cards = await contacts.readContacts({ principal, requestId: 'r1' } as never, []);
    expect(String(cards)).toBe('BEGIN:VCARD');
    expect(lines).toMatchObject([
      { level: 'warn', logger: 'mail', requestId: 'r1', context: 3, user: 7, cause: 'Error: no store' },
    ]);
    setLogDestination({ write: () => undefined }, 'silent');
  });
});
